import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
// The path is right from both src and dist, which are equally deep.
const module = fileURLToPath(new URL('../../../../sdks/kotlin', import.meta.url));
const target = join(module, 'core', 'target');
const mainClass = 'tech.sluice.faults.KilledProcessKt';

/** How fast the clock of the processes is. */
const speed = 100;
const origin = Date.UTC(2026, 0, 31);
// Starts in a quarter of the time that the default options take.
const jvm = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx64m', '-Xlog:disable', '-Xlog:all=off'];

export interface Life {
  readonly host: string;
  readonly folder: string;
  /** Number of the first event. */
  readonly first: number;
  readonly seed: number;
  readonly mode: 'track' | 'drain' | 'rehearse';
}

/** The program that is killed, on the class path of the Kotlin SDK's test build. */
export class Program {
  private constructor(private readonly options: readonly string[]) {}

  /** Builds the program, and an archive of its classes, so that a life begins in 0.2 s. */
  static async build(): Promise<Program> {
    await run('mvn', ['-B', '-q', '-f', join(module, 'pom.xml'), '-pl', 'core', 'package', '-DskipTests']);
    const { stdout } = await run('sh', ['-c', `ls ${target}/sluice-core-*.jar ${target}/lib/*.jar | grep -v sources`]);
    const classPath = stdout.trim().split('\n').join(':');
    const folder = await mkdtemp(join(tmpdir(), 'sluice-kotlin-'));
    const archive = join(folder, 'classes.jsa');
    const rehearsal = { host: 'http://127.0.0.1:1', folder, first: 0, seed: 1, mode: 'rehearse' } as const;
    const recording = new Program([`-XX:ArchiveClassesAtExit=${archive}`, '-cp', classPath]).start(rehearsal);
    await once(recording, 'exit');
    return new Program([`-XX:SharedArchiveFile=${archive}`, '-cp', classPath]);
  }

  start({ host, folder, first, seed, mode }: Life): ChildProcess {
    const args = [host, folder, first, speed, origin, seed, mode].map(String);
    return spawn('java', [...jvm, ...this.options, mainClass, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  }
}
