import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ExpectedFailure } from './expected-failure.js';

const run = promisify(execFile);

/** Runs operator commands as processes. */
export class Operator {
  constructor(
    private readonly program: string,
    private readonly env: Readonly<Record<string, string>>,
    private readonly stopping: AbortSignal,
  ) {}

  /** Returns what the command prints. @throws ExpectedFailure with its stderr and stdout when it fails. */
  async run(...args: string[]): Promise<string> {
    try {
      const { stdout } = await run(process.execPath, [this.program, ...args], {
        env: { ...process.env, ...this.env },
        signal: this.stopping,
        timeout: 60_000,
      });
      return stdout;
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      const reason = (stderr + stdout).trim() || (error as Error).message;
      throw new ExpectedFailure(`\`operator ${args.join(' ')}\` failed:\n${reason.slice(-4_000)}`);
    }
  }
}
