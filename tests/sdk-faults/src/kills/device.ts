import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { parseBatchFile } from '@sluice/sdk-contract';
import { type ArrivedMessage, messageNumber } from './arrivals.js';
import { ProcessLife } from './life.js';
import { type Errand, type KillPlatform, type Program } from './platform.js';

const maxLifeMs = 30_000;
/**
 * Messages after which a process that waits for a try is killed, and its device sends what is left. A queue of 10,000
 * gives up its oldest ones.
 */
const takenPerDrain = 2_000;
/** Share of the processes that are killed while they start. */
const earlyShare = 0.05;
/** Share of the processes that live until they have sent something, however slow the machine is. */
const sendingShare = 0.2;

export interface KillSurroundings {
  readonly platform: KillPlatform;
  readonly program: Program;
  readonly random: () => number;
  readonly tailMs: number;
  /** Address that the device's processes send to. */
  readonly host: string;
  /** Folder of their files. */
  readonly folder: string;
  /** Resolves when the next request of the device has arrived. */
  readonly requested: () => Promise<void>;
  /** Does work while the service answers as it should for a drain. */
  readonly draining: (work: () => Promise<void>) => Promise<void>;
}

/** A folder in which processes live one at a time, sometimes two, and are killed. */
export class KilledDevice {
  /** The calls of each process. */
  readonly lives: ProcessLife[] = [];
  /** Numbers of the messages that were in a file when a process had been killed. */
  readonly onDisk = new Set<number>();
  /** Files that a killed process left with an unfinished write. Nothing in them was acknowledged. */
  unfinished = 0;
  /** Messages that a reader of the files, written in another language, found to be damaged. */
  damaged = 0;
  /** Reports of the SDK, and texts that its processes wrote to standard error. */
  readonly reports: string[] = [];
  kills = 0;
  /** Number of lives at the last drain; each ended by a kill. */
  private drainedLives = 0;

  constructor(private readonly around: KillSurroundings) {}

  /** Lets one process live, or two, kills them, and looks at what they left. */
  async live(): Promise<void> {
    // Two that start together on an empty folder may each make an id of the device, which comes with the first event.
    const hasId = this.lives.some(({ taken: takenCalls }) => takenCalls.length > 0);
    const together = hasId && this.around.random() < 0.15 ? 2 : 1;
    await Promise.all(Array.from({ length: together }, () => this.liveAndDie()));
    await this.look();
    if (!this.isToDrain()) return;
    this.drainedLives = this.lives.length;
    await this.drain();
  }

  private isToDrain(): boolean {
    const since = this.lives.slice(this.drainedLives);
    const takenCount = since.reduce((sum, life) => sum + life.taken.length, 0);
    return since.length >= this.around.platform.killsPerDrain || takenCount >= takenPerDrain;
  }

  private async liveAndDie(): Promise<void> {
    const { random, platform, tailMs, requested } = this.around;
    const life = new ProcessLife();
    const number = this.lives.push(life) - 1;
    const roll = random();
    // Counted in events, not in time, so that a slow machine kills in the same states as a quick one.
    const events = Math.ceil(random() ** 2 * platform.maxEvents);
    const isQuiet = roll > 1 - platform.quietShare;
    const sent = random() < sendingShare ? requested() : undefined;
    const child = this.start({ mode: 'track', life: number, ...(isQuiet && { events }) });
    const ended = once(child, 'close');
    const { enough, tooMany } = this.listen(child, life, events);
    if (roll < earlyShare) await setTimeout(random() * 300);
    else await Promise.race([Promise.all([enough, sent]), tooMany, setTimeout(maxLifeMs)]);
    // A process that was quiet for longer than the tail has written everything.
    await setTimeout((isQuiet ? tailMs + 200 : 0) + random() * 10);
    if (child.exitCode !== null) throw new Error(`a process ended by itself with ${child.exitCode}`);
    life.killedAt = Date.now();
    child.kill('SIGKILL');
    this.kills++;
    await ended;
  }

  /** Sends what is left. */
  async drain(): Promise<void> {
    await this.around.draining(async () => {
      const child = this.start({ mode: 'drain', life: this.lives.length });
      const ended = once(child, 'close');
      await this.listen(child, new ProcessLife()).enough;
      await ended;
      if (child.exitCode !== 0) throw new Error('what was left could not be sent');
    });
  }

  private start(errand: Pick<Errand, 'mode' | 'life' | 'events'>): ChildProcess {
    const { program, host, folder, random } = this.around;
    return program.start({ host, folder, seed: Math.floor(random() * 2 ** 31), ...errand });
  }

  /**
   * Reads what a process prints. `enough` resolves when it has taken so many `events` or has ended, `tooMany` when
   * it would soon fill its queue.
   */
  private listen(
    child: ChildProcess,
    life: ProcessLife,
    events = Infinity,
  ): Record<'enough' | 'tooMany', Promise<unknown>> {
    child.stderr?.on('data', (text: Buffer) => this.reports.push(`stderr ${text.toString()}`));
    const [enough, tooMany] = [Promise.withResolvers<unknown>(), Promise.withResolvers<unknown>()];
    if (child.stdout) {
      const lines = createInterface({ input: child.stdout });
      lines.on('line', (line) => {
        this.note(life, line);
        if (life.taken.length >= events) enough.resolve(undefined);
        if (life.taken.length >= takenPerDrain) tooMany.resolve(undefined);
      });
      lines.once('close', enough.resolve);
    }
    return { enough: enough.promise, tooMany: tooMany.promise };
  }

  private note(life: ProcessLife, line: string): void {
    const statement = this.around.program.read(line);
    if (statement?.what === 'reported') this.reports.push(statement.text);
    if (statement?.what === 'written' || (statement?.what === 'taken' && statement.isWritten))
      life.written.add(statement.number);
    if (statement?.what === 'taken') life.taken.push({ number: statement.number, at: statement.at });
  }

  /** Names of the files that hold batches. */
  async files(): Promise<string[]> {
    const names = await readdir(join(this.around.folder, 'queue')).catch(() => []);
    return names.filter((name) => name.endsWith('.batch'));
  }

  private async look(): Promise<void> {
    for (const name of await this.files()) {
      const file = parseBatchFile(await readFile(join(this.around.folder, 'queue', name)));
      if (file.is === 'foreign' || file.is === 'newer') this.damaged++;
      else this.damaged += file.lost ?? 0;
      if (file.is !== 'batch') continue;
      if (file.isTorn) this.unfinished++;
      for (const text of [...file.messages, ...file.later])
        this.onDisk.add(messageNumber(JSON.parse(text) as ArrivedMessage));
    }
  }
}
