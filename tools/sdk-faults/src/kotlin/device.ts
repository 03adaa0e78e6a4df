import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { readBatchFile } from '@sluice/sdk-contract';
import { type Program } from './program.js';
import { type Message, numberOf } from './service.js';

const eventsPerLife = 100_000;
const longestLifeMs = 30_000;
/** Events after which a process is killed, at most. */
const mostEvents = 200;
const killsPerDrain = 20;

/** A folder in which processes live one after the other, sometimes two at a time, and are killed. */
export class Device {
  /** Numbers of the messages that `track` took. */
  readonly told = new Set<number>();
  /** Numbers of the messages that were in a file when a process had been killed. */
  readonly onDisk = new Set<number>();
  /** Files that a killed process left with an unfinished write. Nothing in them was acknowledged. */
  unfinished = 0;
  /** Messages that a reader of the files, written in another language, found to be damaged. */
  damaged = 0;
  /** What the SDK reported as lost. */
  readonly reports: string[] = [];
  kills = 0;
  private lives = 0;
  private nextDrain = killsPerDrain;

  constructor(
    private readonly program: Program,
    private readonly host: string,
    private readonly folder: string,
    private readonly random: () => number,
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
    const life = this.lives++;
    const seed = Math.floor(this.random() * 2 ** 31);
    const child = this.program.start({ ...this.place(), first: life * eventsPerLife, seed, mode: 'track' });
    const ended = once(child, 'close');
    const isEarly = this.random() < 0.05;
    // Counted in events, not in time, so that a slow machine kills in the same states as a quick one.
    const told = this.listen(child, Math.ceil(this.random() ** 2 * mostEvents));
    if (isEarly) await setTimeout(this.random() * 300);
    else await Promise.race([told, setTimeout(longestLifeMs)]);
    await setTimeout(this.random() * 10);
    if (child.exitCode !== null) throw new Error(`a process ended by itself with ${child.exitCode}`);
    child.kill('SIGKILL');
    this.kills++;
    await ended;
  }

  /** Sends what is left. */
  async drain(): Promise<void> {
    const child = this.program.start({ ...this.place(), first: 0, seed: 1, mode: 'drain' });
    const ended = once(child, 'close');
    await this.listen(child);
    await ended;
    if (child.exitCode !== 0) throw new Error('what was left could not be sent');
  }

  private place(): { host: string; folder: string } {
    return { host: this.host, folder: this.folder };
  }

  /** Reads what a process prints. Resolves when it has told of so many events, or has ended before. */
  private listen(child: ChildProcess, events = Infinity): Promise<void> {
    let count = 0;
    return new Promise((resolve) => {
      if (!child.stdout) return;
      const lines = createInterface({ input: child.stdout });
      lines.on('line', (line) => {
        if (line.startsWith('! ')) this.reports.push(line.slice(2));
        if (!/^\d+$/.test(line)) return;
        this.told.add(Number(line));
        if (++count === events) resolve();
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
