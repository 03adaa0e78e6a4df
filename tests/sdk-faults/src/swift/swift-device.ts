import { type ChildProcessWithoutNullStreams, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const toolchain = fileURLToPath(new URL('../../../../sdks/swift/toolchain.sh', import.meta.url));
/** Stand-ins for Apple's frameworks, which macOS does not use. */
const env = { ...process.env, SLUICE_STUBS: '1' };

/** True if Swift is on the PATH or in the cache. Nothing is fetched here. */
export const hasSwift = (): boolean => spawnSync(toolchain, ['--has'], { env }).status === 0;

export const howToGetSwift =
  'Swift tests skipped: no toolchain. `npm run test:swift` fetches one (540 MB) and runs them.';

const runToolchain = async (args: readonly string[], variables: NodeJS.ProcessEnv) => {
  const { stdout, stderr } = await promisify(execFile)(toolchain, args, { env: variables, maxBuffer: 2 ** 28 });
  return stdout + stderr;
};

/** Runs `swift build` or `swift test`. @throws with the output if it fails */
export const runSwift = (...args: string[]): Promise<string> => runToolchain(args, env);

/** Runs `swift build` or `swift run` in a folder, without stand-ins. @throws with the output if it fails */
export const swiftAt = (folder: string, ...args: string[]): Promise<string> =>
  runToolchain(args, { ...process.env, SLUICE_AT: folder });

let command: readonly string[] | undefined;

/** Command of a copy of the test device (sdks/swift/Tests/Device), which must be built. Later builds leave it alone. */
function deviceCommand(): readonly string[] {
  if (command) return command;
  const words = execFileSync(toolchain, ['command', 'sluice-device'], { env, encoding: 'utf8' }).trim().split('\n');
  const folder = mkdtempSync(join(tmpdir(), 'sluice-device-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const copy = join(folder, 'sluice-device');
  copyFileSync(words.pop() ?? '', copy);
  return (command = [...words, copy]);
}

export interface DeviceSource {
  readonly apiKey: string;
  readonly sourceIdentifier: string;
}

/** A device in a process of its own. */
export class SwiftDevice {
  readonly lines: string[] = [];
  readonly process: ChildProcessWithoutNullStreams;
  private readonly ended: Promise<unknown>;

  constructor(
    command: string,
    folder: string,
    host: string,
    { sourceIdentifier, apiKey }: DeviceSource,
    ...extraArguments: readonly string[]
  ) {
    const [program = '', ...words] = deviceCommand();
    const args = [...words, command, folder, host, sourceIdentifier, apiKey, ...extraArguments];
    this.process = spawn(program, args);
    const lines = createInterface(this.process.stdout);
    lines.on('line', (line) => this.lines.push(line));
    this.process.stderr.on('data', (text: Buffer) => this.lines.push(`stderr ${text.toString()}`));
    this.ended = Promise.all([once(this.process, 'close'), once(lines, 'close')]);
  }

  /** All lines, when it has ended by itself. */
  async all(): Promise<readonly string[]> {
    await this.ended;
    return this.lines;
  }
}
