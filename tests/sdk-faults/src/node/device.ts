import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type NodeOptions } from '@sluice/node';
import { type Books } from '../ledger/books.js';
import { waitingBatches } from './backlog.js';
import { SmallDisk } from './disk.js';
import { type BookLine, type MessageFate, type ShopWork } from './work.js';

const maxProcesses = 4;
const pollMs = 50;
const program = fileURLToPath(new URL('shop.js', import.meta.url));
/** A batch that was begun without room stays in memory until it is sealed, with later messages; machines are slow. */
const openBatchMs = 10_000;
/** Longest pause between faults of processes. Requests meet more faults: a start costs more than many requests. */
const maxPauseMs = 1_000;
/** Most processes are killed once they work; a busy machine starts them slowly. */
const [killedLater, maxStartMs, maxLifeMs] = [0.7, 5_000, 500];

export interface NodeSurroundings {
  readonly options: Omit<NodeOptions, 'storage'>;
  readonly run: string;
  readonly speed: number;
  readonly calmSpeed: number;
  readonly beganAt: number;
  readonly folder: string;
  readonly random: () => number;
  readonly fault: (name: string) => void;
  readonly mutant?: string | undefined;
}

/** A directory that up to four processes share, which are killed, frozen and started, and lose room. */
export class NodeDevice {
  private readonly disk: SmallDisk;
  /** Files of the books by process. */
  private readonly tabs = new Map<string, string>();
  private readonly books = new WeakMap<ChildProcess, string>();
  private processes: ChildProcess[] = [];
  /** Faults that last. */
  private readonly lasting = new Set<Promise<void>>();
  private isFull = false;
  private readonly full: { readonly from: number; to: number }[] = [];

  constructor(
    private readonly around: NodeSurroundings,
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
      await sleep(this.around.random() * maxPauseMs);
    }
  }

  /** Kills all processes, and starts one that only sends. */
  async calmDown(): Promise<void> {
    await Promise.all(this.lasting);
    await this.killAll();
    this.start(true);
  }

  /** Files of the batches in the directory. */
  waiting(): string[] {
    return waitingBatches(this.disk.directory);
  }

  async stop(): Promise<void> {
    await this.killAll();
    this.disk.remove();
  }

  /** Enters into the books what the processes took and reported. Returns how many messages no file had. */
  account(books: Books): Record<Exclude<MessageFate, 'written'>, number> {
    const wasFull = (time: number): boolean =>
      this.full.some(({ from, to }) => time >= from && time <= to + openBatchMs);
    const counts = { written: 0, reported: 0, silent: 0 };
    for (const [tab, book] of this.tabs) {
      for (const line of readLines(book)) {
        if (line[0] === 'reported') {
          books.lossReported(line[1], line[2]);
          continue;
        }
        const [, number, time, place] = line;
        counts[place]++;
        // Only a full disk excuses that a message was not written, and only if it was reported.
        books.took(this.index, tab, [number], time, place === 'reported' && wasFull(time) ? 'full' : 'none');
      }
    }
    return counts;
  }

  private async step(): Promise<void> {
    const { random, fault } = this.around;
    const roll = random() * 100;
    const child = this.processes[Math.floor(random() * this.processes.length)] ?? this.start();
    if (roll < 40) {
      if (random() < killedLater) await this.works(child);
      fault('process killed');
      await this.kill(child);
      this.start();
    } else if (roll < 44) {
      fault('all processes of a directory killed');
      await this.killAll();
    } else if (roll < 60) this.alongside(this.freeze(child));
    else if (roll < 68) {
      if (!this.isFull) this.alongside(this.fillDisk());
    } else if (roll < 72) {
      fault('four processes at once');
      while (this.processes.length < maxProcesses) this.start();
    } else if (this.processes.length < maxProcesses) this.start();
  }

  /** Resolves some time after the process has opened its book, or failed to do so within `maxStartMs`. */
  private async works(child: ChildProcess): Promise<void> {
    const book = this.books.get(child) ?? '';
    const until = performance.now() + maxStartMs;
    while (!existsSync(book) && performance.now() < until) await sleep(pollMs);
    await sleep(this.around.random() * maxLifeMs);
  }

  /** Lets other faults come while this one lasts. */
  private alongside(fault: Promise<void>): void {
    this.lasting.add(fault);
    void fault.finally(() => this.lasting.delete(fault));
  }

  private async freeze(child: ChildProcess): Promise<void> {
    const { random, fault } = this.around;
    fault('process frozen');
    child.kill('SIGSTOP');
    await sleep(random() * 2_000);
    child.kill('SIGCONT');
  }

  private async fillDisk(): Promise<void> {
    const { random, fault } = this.around;
    fault('disk full');
    this.isFull = true;
    const period = { from: Date.now(), to: Infinity };
    this.full.push(period);
    this.disk.fill();
    await sleep(random() * 1_000);
    const child = this.processes[0];
    if (child && random() < 0.3) await this.kill(child);
    this.disk.free();
    period.to = Date.now();
    this.isFull = false;
  }

  private start(isCalm = false): ChildProcess {
    const { options, run, beganAt, mutant } = this.around;
    const speed = isCalm ? this.around.calmSpeed : this.around.speed;
    const tab = randomUUID();
    const book = join(this.around.folder, `${tab}.book`);
    this.tabs.set(tab, book);
    const work: ShopWork = {
      options: { ...options, storage: { directory: this.disk.directory } },
      run,
      tab,
      speed,
      beganAt,
      isCalm,
      book,
      fullFlag: this.disk.flag,
      mutant,
    };
    const child = spawn(process.execPath, [program, JSON.stringify(work)], { stdio: ['ignore', 'inherit', 'inherit'] });
    this.processes.push(child);
    this.books.set(child, book);
    return child;
  }

  private async killAll(): Promise<void> {
    for (const child of [...this.processes]) await this.kill(child);
  }

  private async kill(child: ChildProcess): Promise<void> {
    this.processes = this.processes.filter((otherChild) => otherChild !== child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

/** The whole lines of a book; the last one may be torn. */
function readLines(file: string): BookLine[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as BookLine);
}
