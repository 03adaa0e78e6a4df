import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Name of a client's folder: machine, process, start of the process, client. It shows other processes whether the
 * owner lives, without heartbeats. Batches do not depend on it: two clients that send one batch store it once.
 */
export type Owner = string;

/** Folder that a closed client left to any other. */
export const newAbandonedOwner = (): Owner => `left-${randomUUID()}`;

export function newOwner(): Owner {
  const { pid } = process;
  const start = findProcess(pid)?.start ?? 0;
  return ['client', readMachineId(), pid, start, randomUUID().slice(0, 8)].join('-');
}

/** `unknown`: the owner is on another machine or in another container, which share the folder. */
export type OwnerState = 'alive' | 'dead' | 'unknown';

export function checkOwner(owner: Owner): OwnerState {
  const [kind, ownerMachine, pid, start] = owner.split('-');
  if (kind === 'left') return 'dead';
  if (kind !== 'client' || ownerMachine !== readMachineId()) return 'unknown';
  const ownerProcess = findProcess(Number(pid));
  // The number may belong to another process by now.
  return ownerProcess && (start === '0' || ownerProcess.start === undefined || ownerProcess.start === start)
    ? 'alive'
    : 'dead';
}

/** Undefined for a process that does not exist or is a zombie. */
function findProcess(pid: number): { start: string | undefined } | undefined {
  const text = readText(`/proc/${pid}/stat`);
  // The name of the program, in parentheses, may contain anything.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  if (fields) {
    // The fields 3 and 22 of proc(5): the state, and the start in ticks since the machine's boot.
    const { 0: state, 19: start } = fields;
    return state === 'Z' || state === 'X' ? undefined : { start };
  }
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined;
  }
  return { start: undefined };
}

let machineId: string | undefined;

/** Processes with the same value see each other's process ids: one boot of one machine, and one container of it. */
function readMachineId(): string {
  if (machineId !== undefined) return machineId;
  const parts = [hostname(), readText('/proc/sys/kernel/random/boot_id'), readPidNamespace()];
  return (machineId = createHash('sha256').update(parts.join()).digest('hex').slice(0, 12));
}

function readPidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
