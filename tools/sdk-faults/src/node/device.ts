import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type NodeOptions } from '@sluice/node';
import { type Books } from '../browser/books.js';
import { SmallDisk } from './disk.js';
import { type Line, type Work } from './work.js';

const mostProcesses = 4;
const program = fileURLToPath(new URL('shop.js', import.meta.url));
/** A batch that was begun without room stays in memory until it is sealed; later messages join it. Machines are slow. */
const openBatchMs = 10_000;

export interface Surroundings {
  readonly options: Omit<NodeOptions, 'storage'>;
  readonly run: string;
  readonly speed: number;
  readonly beganAt: number;
  readonly folder: string;
  readonly random: () => number;
  readonly fault: (name: string) => void;
}

/** A directory that up to four processes share, which are killed, frozen and started, and lose room. */
export class NodeDevice {
  private readonly disk: SmallDisk;
  private readonly tabs: string[] = [];
  private processes: ChildProcess[] = [];
  private readonly full: { readonly from: number; to: number }[] = [];

  constructor(
    private readonly around: Surroundings,
    private readonly index: number,
  ) {
    this.disk = SmallDisk.create(join(around.folder, `disk-${index}`));
  }

  get isDiskReal(): boolean {
    return this.disk.isMounted;
  }

  async live(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.step();
      await sleep(this.around.random() * 500);
    }
  }

  /** Kills all processes, and starts one that only sends. */
  async calmDown(): Promise<void> {
    this.disk.free();
    await this.killAll();
    this.start(true);
  }

  /** Number of batches in the directory. */
  waiting(): number {
    const root = join(this.disk.directory, 'batches');
    if (!existsSync(root)) return 0;
    return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.batch')).length;
  }

  async stop(): Promise<void> {
    await this.killAll();
    this.disk.remove();
  }

  /** Tells the books what the processes took and were told. */
  account(books: Books): void {
    const isFull = (at: number): boolean => this.full.some(({ from, to }) => at >= from && at <= to + openBatchMs);
    // Only a full disk excuses that a message was not written.
    for (const tab of this.tabs) {
      for (const [kind, what, value, isOnDisk] of linesOf(this.bookOf(tab))) {
        if (kind === 'took') books.took(this.index, tab, [what], value, !isOnDisk && isFull(value));
        else books.told(what, value);
      }
    }
  }

  private async step(): Promise<void> {
    const { random, fault } = this.around;
    const roll = random() * 100;
    const one = this.processes[Math.floor(random() * this.processes.length)] ?? this.start();
    if (roll < 40) {
      fault('process killed');
      await this.kill(one);
      this.start();
    } else if (roll < 45) {
      fault('all processes of a directory killed');
      await this.killAll();
    } else if (roll < 60) {
      fault('process frozen');
      one.kill('SIGSTOP');
      await sleep(random() * 2_000);
      one.kill('SIGCONT');
    } else if (roll < 68) {
      fault('disk full');
      const period = { from: Date.now(), to: Infinity };
      this.full.push(period);
      this.disk.fill();
      await sleep(random() * 1_000);
      if (random() < 0.3) await this.kill(one);
      this.disk.free();
      period.to = Date.now();
    } else if (roll < 72) {
      fault('four processes at once');
      while (this.processes.length < mostProcesses) this.start();
    } else if (this.processes.length < mostProcesses) this.start();
  }

  private start(isCalm = false): ChildProcess {
    const { options, run, speed, beganAt } = this.around;
    const tab = randomUUID();
    this.tabs.push(tab);
    const work: Work = {
      ...{ options: { ...options, storage: { directory: this.disk.directory } }, run, tab, speed, beganAt, isCalm },
      ...{ book: this.bookOf(tab), fullFlag: this.disk.flag },
    };
    const child = spawn(process.execPath, [program, JSON.stringify(work)], { stdio: ['ignore', 'inherit', 'inherit'] });
    this.processes.push(child);
    return child;
  }

  private async killAll(): Promise<void> {
    for (const one of [...this.processes]) await this.kill(one);
  }

  private async kill(one: ChildProcess): Promise<void> {
    this.processes = this.processes.filter((other) => other !== one);
    if (one.exitCode !== null || one.signalCode !== null) return;
    one.kill('SIGKILL');
    await once(one, 'exit');
  }

  private bookOf(tab: string): string {
    return join(this.around.folder, `${tab}.book`);
  }
}

/** The whole lines of a book; the last one may be torn. */
function linesOf(file: string): Line[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Line);
}
