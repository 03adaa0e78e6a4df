import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServerUnreachableError } from '../operation-error.js';
import { type ConsoleState } from './console-state.js';
import { type ConsoleWriter } from './console-writer.js';
import { type TurnRecord } from './records.js';

/** Time for the reading to reach the turn that was just written. */
const readMs = 5_000;
/** Time to wait for earlier turns; the process of one that has not ended by then counts as dead. */
const deadMs = 15_000;
const lookEveryMs = 20;

/**
 * Runs work that reads the state and then writes what follows from it, one call of a `what` at a time over all
 * instances. Each call writes a turn; the lowest offset is next, and all instances read the turns in the same order.
 * The work must be short: other calls wait for it, for 15 s at most, and then run too.
 * @throws ServerUnreachableError when the order of turns cannot be read; the work is not run then.
 */
export async function exclusively<T>(
  state: ConsoleState,
  writer: ConsoleWriter,
  what: TurnRecord['what'],
  work: () => Promise<T>,
): Promise<T> {
  const turn = randomBytes(9).toString('base64url');
  // 1. The turn is durable.
  const offset = await writer.put('turn', turn, { what });
  try {
    // 2. Everything before it is read: all earlier turns, and all writes of those that have ended.
    if (!(await until(() => state.readUpTo >= offset, readMs)))
      throw new ServerUnreachableError('kafka', 'Kafka does not answer in time. Nothing was changed.');
    const isNext = (): boolean => state.offsetsOf('turn', (one) => one.what === what).every((other) => other >= offset);
    // 3. The earlier turns have ended; their writes were read before their ends.
    await until(isNext, deadMs);
    return await work();
  } finally {
    await writer.put('turn', turn, null).catch(() => undefined);
  }
}

async function until(isSo: () => boolean, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (!isSo() && performance.now() < deadline) await sleep(lookEveryMs);
  return isSo();
}
