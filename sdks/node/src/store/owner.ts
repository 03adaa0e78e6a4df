import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Name of a client's folder: machine, process, start of the process, client. It shows other processes whether the
 * owner lives, without heartbeats. Batches do not depend on it: two clients that send one batch store it once.
 */
export type Owner = string;

/** Folder that a closed client left to any other. */
export const leftOwner = (): Owner => `left-${randomUUID()}`;

export function newOwner(): Owner {
  return ['client', machine(), process.pid, processOf(process.pid)?.start ?? 0, randomUUID().slice(0, 8)].join('-');
}

/** `unknown`: the owner is on another machine or in another container, which share the folder. */
export type Life = 'alive' | 'dead' | 'unknown';

export function lifeOf(owner: Owner): Life {
  const [what, where, pid, start] = owner.split('-');
  if (what === 'left') return 'dead';
  if (what !== 'client' || where !== machine()) return 'unknown';
  const found = processOf(Number(pid));
  // The number may belong to another process by now.
  return found && (start === '0' || found.start === undefined || found.start === start) ? 'alive' : 'dead';
}

/** Undefined for a process that does not exist or is a zombie. */
function processOf(pid: number): { start: string | undefined } | undefined {
  const text = textOf(`/proc/${pid}/stat`);
  // The name of the program, in parentheses, may contain anything.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  if (fields) return fields[0] === 'Z' || fields[0] === 'X' ? undefined : { start: fields[19] };
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined;
  }
  return { start: undefined };
}

let known: string | undefined;

/** Processes with the same value see each other's process ids: one boot of one machine, and one container of it. */
function machine(): string {
  if (known !== undefined) return known;
  const parts = [hostname(), textOf('/proc/sys/kernel/random/boot_id'), namespace()];
  return (known = createHash('sha256').update(parts.join()).digest('hex').slice(0, 12));
}

function namespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
