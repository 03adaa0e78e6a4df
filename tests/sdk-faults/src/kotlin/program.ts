import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { kotlinClassPath } from './class-path.js';
import { eventsPerLife } from '../kills/arrivals.js';
import { type Errand, type Program, type Statement } from '../kills/platform.js';

const costClass = 'tech.sluice.faults.TrackCostKt';
const mainClass = 'tech.sluice.faults.KilledProcessKt';

/** Speed of the clock of the processes, and the time at which it began. */
const speed = 100;
const origin = Date.UTC(2026, 0, 31);
// Starts in a fraction of the time that the default options take.
const jvm = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx64m', '-Xlog:disable', '-Xlog:all=off'];

const digitsOfTime = String(Date.now()).length;

/** The program that is killed. */
export class KotlinProgram implements Program {
  private constructor(
    private readonly options: readonly string[],
    private readonly classPath: string,
    private readonly folder: string,
    private readonly mutant?: string,
  ) {}

  /** Copies the program, so that later builds leave it alone, and archives its classes: a process starts in 0.2 s. */
  static async build(mutant?: string): Promise<KotlinProgram> {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-kotlin-'));
    const classPath = await copied(await kotlinClassPath(), folder);
    const archive = join(folder, 'classes.jsa');
    const recording = new KotlinProgram([`-XX:ArchiveClassesAtExit=${archive}`], classPath, folder);
    const child = recording.run('rehearse', { host: 'http://127.0.0.1:1', folder, life: 0, seed: 1 });
    await once(child, 'exit');
    if (child.exitCode !== 0) throw new Error(`the program ended with ${child.exitCode}`);
    return new KotlinProgram([`-XX:SharedArchiveFile=${archive}`], classPath, folder, mutant);
  }

  start({ mode, ...errand }: Errand): ChildProcess {
    return this.run(mode, errand);
  }

  /** `taken NUMBER TIME`, `written NUMBER` or `! REPORT`. A kill may have cut off a line. */
  read(line: string): Statement | undefined {
    if (line.startsWith('! ')) return { what: 'reported', text: line.slice(2) };
    const [verb, number, time] = line.split(' ');
    if (verb === 'written') return { what: verb, number: Number(number) };
    if (verb !== 'taken' || time?.length !== digitsOfTime) return undefined;
    return { what: verb, number: Number(number), at: Number(time), isWritten: false };
  }

  private run(mode: string, { host, folder, life, seed, events = 1_000 }: Omit<Errand, 'mode'>): ChildProcess {
    const first = life * eventsPerLife;
    const args = [host, folder, first, speed, origin, seed, mode, events, this.mutant ?? ''].map(String);
    return spawn('java', [...jvm, ...this.options, '-cp', this.classPath, mainClass, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  /** Cost of `track` for its caller, in words, with the JVM's default options. */
  async cost(): Promise<string> {
    const args = ['-cp', this.classPath, costClass, join(this.folder, 'cost')];
    return (await promisify(execFile)('java', args)).stdout.trim();
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Copies the jars of a class path into a folder. Resolves with their class path. */
async function copied(classPath: string, folder: string): Promise<string> {
  const jars = classPath.split(delimiter);
  await Promise.all(jars.map((jar) => copyFile(jar, join(folder, basename(jar)))));
  return jars.map((jar) => join(folder, basename(jar))).join(delimiter);
}
