import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Tells a process from a later one that was given the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Milliseconds since 1970, as `ps` says: give or take a second. */
  readonly startedAt: number;
  readonly commandLine: string;
}

const startTolerance = 5_000;

/** Undefined when there is no such process (or it is a zombie, which has no command line any more). */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  try {
    const { stdout } = await run('ps', ['-ww', '-o', 'lstart=', '-o', 'args=', '-p', String(pid)], {
      env: { ...process.env, LC_ALL: 'C' },
    });
    const [, started = '', commandLine = ''] = /^\s*(\w+ +\w+ +\d+ +[\d:]+ +\d+) +(.*\S)/s.exec(stdout) ?? [];
    if (commandLine === '' || commandLine.includes('<defunct>')) return undefined;
    return { pid, startedAt: Date.parse(started), commandLine };
  } catch {
    return undefined;
  }
}

/** Whether the very process that was identified then is there now. */
export async function isStillRunning(then: ProcessIdentity): Promise<boolean> {
  const now = await identify(then.pid);
  return now?.commandLine === then.commandLine && Math.abs(now.startedAt - then.startedAt) < startTolerance;
}

export function isIdentity(value: unknown): value is ProcessIdentity {
  const { pid, startedAt, commandLine } = (value ?? {}) as Partial<Record<keyof ProcessIdentity, unknown>>;
  return Number.isInteger(pid) && typeof startedAt === 'number' && typeof commandLine === 'string';
}
