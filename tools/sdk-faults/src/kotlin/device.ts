import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { readBatchFile } from '@sluice/sdk-contract';
import { Life } from './life.js';
import { type Program } from './program.js';
import { type Message, numberOf } from './service.js';

const eventsPerLife = 100_000;
const maxLifeMs = 30_000;
/** Events after which a process is killed, at most. */
const maxEvents = 200;
const killsPerDrain = 20;
/** Shares of the processes that are killed while they start, and after they were quiet. */
const earlyShare = 0.05;
const quietShare = 0.1;
const lengthOfTime = String(Date.now()).length;

/** A folder in which processes live one after the other, sometimes two at a time, and are killed. */
export class Device {
  /** The calls of each process. */
  readonly lives: Life[] = [];
  /** Numbers of the messages that were in a file when a process had been killed. */
  readonly onDisk = new Set<number>();
  /** Files that a killed process left with an unfinished write. Nothing in them was acknowledged. */
  unfinished = 0;
  /** Messages that a reader of the files, written in another language, found to be damaged. */
  damaged = 0;
  /** What the SDK reported as lost. */
  readonly reports: string[] = [];
  kills = 0;
  private nextDrain = killsPerDrain;

  constructor(
    private readonly program: Program,
    private readonly host: string,
    private readonly folder: string,
    private readonly random: () => number,
    private readonly tailMs: number,
  ) {}

  /** Lets one process live, or two, kills them, and looks at what they left. */
  async live(): Promise<void> {
    const together = this.random() < 0.15 ? 2 : 1;
    await Promise.all(Array.from({ length: together }, () => this.liveAndDie()));
    await this.look();
    // A queue that nobody sends would be full after many lives, and give up its oldest messages.
    if (this.kills >= this.nextDrain) {
      this.nextDrain = this.kills + killsPerDrain;
      await this.drain();
    }
  }

  private async liveAndDie(): Promise<void> {
    const life = new Life();
    const first = (this.lives.push(life) - 1) * eventsPerLife;
    const seed = Math.floor(this.random() * 2 ** 31);
    const roll = this.random();
    // Counted in events, not in time, so that a slow machine kills in the same states as a quick one.
    const events = Math.ceil(this.random() ** 2 * maxEvents);
    const isQuiet = roll > 1 - quietShare;
    const child = this.program.start({ ...this.place(), first, seed, mode: 'track', ...(isQuiet && { events }) });
    const ended = once(child, 'close');
    const told = this.listen(child, life, events);
    if (roll < earlyShare) await setTimeout(this.random() * 300);
    else await Promise.race([told, setTimeout(maxLifeMs)]);
    // Whoever was quiet for longer than the tail has written everything.
    await setTimeout((isQuiet ? this.tailMs + 200 : 0) + this.random() * 10);
    if (child.exitCode !== null) throw new Error(`a process ended by itself with ${child.exitCode}`);
    life.killedAt = Date.now();
    child.kill('SIGKILL');
    this.kills++;
    await ended;
  }

  /** Sends what is left. */
  async drain(): Promise<void> {
    const child = this.program.start({ ...this.place(), first: 0, seed: 1, mode: 'drain' });
    const ended = once(child, 'close');
    await this.listen(child, new Life());
    await ended;
    if (child.exitCode !== 0) throw new Error('what was left could not be sent');
  }

  private place(): { host: string; folder: string } {
    return { host: this.host, folder: this.folder };
  }

  /** Reads what a process prints. Resolves when it has taken so many events, or has ended before. */
  private listen(child: ChildProcess, life: Life, events = Infinity): Promise<void> {
    return new Promise((resolve) => {
      if (!child.stdout) return;
      const lines = createInterface({ input: child.stdout });
      lines.on('line', (line) => {
        if (line.startsWith('! ')) this.reports.push(line.slice(2));
        const [what, number, at] = line.split(' ');
        if (what === 'written') life.written.add(Number(number));
        // A line that the kill has cut off.
        if (what !== 'taken' || at?.length !== lengthOfTime) return;
        life.taken.push({ number: Number(number), at: Number(at) });
        if (life.taken.length === events) resolve();
      });
      lines.once('close', resolve);
    });
  }

  /** Names of the files that hold batches. */
  async files(): Promise<string[]> {
    const names = await readdir(join(this.folder, 'queue')).catch(() => []);
    return names.filter((name) => name.endsWith('.batch'));
  }

  private async look(): Promise<void> {
    for (const name of await this.files()) {
      const file = readBatchFile(await readFile(join(this.folder, 'queue', name)));
      if (file.is === 'foreign' || file.is === 'newer') this.damaged++;
      else this.damaged += file.lost ?? 0;
      if (file.is !== 'batch') continue;
      if (file.isTorn) this.unfinished++;
      for (const text of [...file.messages, ...file.later]) this.onDisk.add(numberOf(JSON.parse(text) as Message));
    }
  }
}
