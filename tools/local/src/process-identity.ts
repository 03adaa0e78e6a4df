import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Distinguishes a process from a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Milliseconds since boot on systems with /proc, else since 1970 (from `ps`, accurate to a second). */
  readonly startedAt: number;
  readonly commandLine: string;
}

const startTolerance = 5_000;

/** Undefined when the process does not exist, or is a zombie, which has no command line. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  try {
    return existsSync('/proc/self/stat') ? await readProc(pid) : await readPs(pid);
  } catch {
    return undefined;
  }
}

/** Reads /proc, see proc(5): the start time is field 22 of `stat`, in hundredths of a second since boot. */
async function readProc(pid: number): Promise<ProcessIdentity | undefined> {
  const [stat, arguments_] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'latin1'),
    readFile(`/proc/${pid}/cmdline`, 'utf8'),
  ]);
  const fieldsAfterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const commandLine = arguments_.replaceAll('\0', ' ').trim();
  return commandLine === '' ? undefined : { pid, startedAt: Number(fieldsAfterName[19]) * 10, commandLine };
}

async function readPs(pid: number): Promise<ProcessIdentity | undefined> {
  const { stdout } = await run('ps', ['-ww', '-o', 'lstart=', '-o', 'args=', '-p', String(pid)], {
    env: { ...process.env, LC_ALL: 'C' },
  });
  const [, started = '', commandLine = ''] = /^\s*(\w+ +\w+ +\d+ +[\d:]+ +\d+) +(.*\S)/s.exec(stdout) ?? [];
  if (commandLine === '' || commandLine.includes('<defunct>')) return undefined;
  return { pid, startedAt: Date.parse(started), commandLine };
}

/** True if the identified process itself still runs, not another one with its pid. */
export async function isStillRunning(identity: ProcessIdentity): Promise<boolean> {
  const current = await identifyProcess(identity.pid);
  return (
    current?.commandLine === identity.commandLine && Math.abs(current.startedAt - identity.startedAt) < startTolerance
  );
}

export function isIdentity(value: unknown): value is ProcessIdentity {
  const { pid, startedAt, commandLine } = (value ?? {}) as Partial<Record<keyof ProcessIdentity, unknown>>;
  return Number.isInteger(pid) && typeof startedAt === 'number' && typeof commandLine === 'string';
}
