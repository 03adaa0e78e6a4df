import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { type ScratchNames } from './examination.js';

/** Prefix of scratch topics and groups, after TOPIC_PREFIX. */
export const scratchPrefix = 'sluice-doctor-';
/** Prefix of scratch tables, in the database of the tables. */
export const scratchTablePrefix = 'doctor_';
/** Upper bound of the time of a run: older scratch data is of a run that was killed. */
export const runLimitMs = 2 * 60_000;

/** Name of this run: `<seconds since 1970>-<hash of the host>-<process id>-<random>`. */
export function makeRunName(now = Date.now(), host = hostname(), pid = process.pid): string {
  return [Math.floor(now / 1_000), hashHost(host), pid, randomBytes(3).toString('hex')].join('-');
}

export const makeScratchNames = (run: string, topicPrefix: string): ScratchNames => ({
  topic: `${topicPrefix}${scratchPrefix}${run}`,
  group: `${topicPrefix}${scratchPrefix}${run}`,
  table: `${scratchTablePrefix}${run.replaceAll('-', '_')}`,
});

/**
 * True when a scratch name is of a run that has ended: of a process of this host that is gone, or older than a run may
 * take. A name that no doctor made is never one.
 */
export function isLeftover(name: string, prefix: string, now = Date.now(), host = hostname()): boolean {
  if (!name.startsWith(prefix)) return false;
  const [, seconds, hash, pid] =
    /^(\d{10})[-_]([0-9a-f]{6})[-_](\d+)[-_][0-9a-f]{6}(?:_\w+)?$/.exec(name.slice(prefix.length)) ?? [];
  if (seconds === undefined) return false;
  if (now - Number(seconds) * 1_000 > runLimitMs) return true;
  return hash === hashHost(host) && Number(pid) !== process.pid && !isAlive(Number(pid));
}

const hashHost = (host: string): string => createHash('sha256').update(host).digest('hex').slice(0, 6);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
