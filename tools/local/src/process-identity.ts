import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Tells a process from a later one that was given the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Milliseconds since boot where there is /proc, else since 1970 as `ps` says: give or take a second. */
  readonly startedAt: number;
  readonly commandLine: string;
}

const startTolerance = 5_000;

/** Undefined when there is no such process (or it is a zombie, which has no command line any more). */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  try {
    return existsSync('/proc/self/stat') ? await fromProc(pid) : await fromPs(pid);
  } catch {
    return undefined;
  }
}

/** proc(5): the start time is the 22nd field of `stat`, in hundredths of a second since boot. */
async function fromProc(pid: number): Promise<ProcessIdentity | undefined> {
  const [stat, arguments_] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'latin1'),
    readFile(`/proc/${pid}/cmdline`, 'utf8'),
  ]);
  const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const commandLine = arguments_.replaceAll('\0', ' ').trim();
  return commandLine === '' ? undefined : { pid, startedAt: Number(afterName[19]) * 10, commandLine };
}

async function fromPs(pid: number): Promise<ProcessIdentity | undefined> {
  const { stdout } = await run('ps', ['-ww', '-o', 'lstart=', '-o', 'args=', '-p', String(pid)], {
    env: { ...process.env, LC_ALL: 'C' },
  });
  const [, started = '', commandLine = ''] = /^\s*(\w+ +\w+ +\d+ +[\d:]+ +\d+) +(.*\S)/s.exec(stdout) ?? [];
  if (commandLine === '' || commandLine.includes('<defunct>')) return undefined;
  return { pid, startedAt: Date.parse(started), commandLine };
}

/** Whether the very process that was identified then is there now. */
export async function isStillRunning(then: ProcessIdentity): Promise<boolean> {
  const now = await identifyProcess(then.pid);
  return now?.commandLine === then.commandLine && Math.abs(now.startedAt - then.startedAt) < startTolerance;
}

export function isIdentity(value: unknown): value is ProcessIdentity {
  const { pid, startedAt, commandLine } = (value ?? {}) as Partial<Record<keyof ProcessIdentity, unknown>>;
  return Number.isInteger(pid) && typeof startedAt === 'number' && typeof commandLine === 'string';
}
