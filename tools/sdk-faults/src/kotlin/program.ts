import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kotlinClassPath } from './class-path.js';

const mainClass = 'tech.sluice.faults.KilledProcessKt';

/** How fast the clock of the processes is, and the time at which it began. */
const speed = 100;
const origin = Date.UTC(2026, 0, 31);
// Starts in a fraction of the time that the default options take.
const jvm = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx64m', '-Xlog:disable', '-Xlog:all=off'];

export interface Life {
  readonly host: string;
  readonly folder: string;
  /** Number of the first event. */
  readonly first: number;
  readonly seed: number;
  readonly mode: 'track' | 'drain' | 'rehearse';
}

/** The program that is killed. */
export class Program {
  private constructor(
    private readonly options: readonly string[],
    private readonly folder: string,
  ) {}

  /** Builds the program, and an archive of its classes, so that a process starts in 0.2 s. */
  static async build(): Promise<Program> {
    const classPath = await kotlinClassPath();
    const folder = await mkdtemp(join(tmpdir(), 'sluice-kotlin-'));
    const archive = join(folder, 'classes.jsa');
    const recording = new Program([`-XX:ArchiveClassesAtExit=${archive}`, '-cp', classPath], folder);
    const child = recording.start({ host: 'http://127.0.0.1:1', folder, first: 0, seed: 1, mode: 'rehearse' });
    await once(child, 'exit');
    if (child.exitCode !== 0) throw new Error(`the program ended with ${child.exitCode}`);
    return new Program([`-XX:SharedArchiveFile=${archive}`, '-cp', classPath], folder);
  }

  start({ host, folder, first, seed, mode }: Life): ChildProcess {
    const args = [host, folder, first, speed, origin, seed, mode].map(String);
    return spawn('java', [...jvm, ...this.options, mainClass, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
