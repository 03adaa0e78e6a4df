import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServerUnreachableError } from '../operation-error.js';
import { type ConsoleState } from './console-state.js';
import { type ConsoleWriter } from './console-writer.js';
import { type TurnRecord } from './records.js';

/** Time for the reading to reach the turn that was just written. */
const readMs = 5_000;
/** Time to wait for earlier turns; the process of a turn that has not ended by then counts as dead. */
const deadMs = 15_000;
const pollMs = 20;

/**
 * Runs work that reads the state and then writes what follows from it, one call per purpose at a time over all
 * instances. Each call writes a turn; the lowest offset is next, and all instances read the turns in the same order.
 * The work must be short: other calls wait for it, for 15 s at most, and then run too.
 * @throws ServerUnreachableError when the order of turns cannot be read; the work is not run then.
 */
export async function runExclusively<T>(
  state: ConsoleState,
  writer: ConsoleWriter,
  purpose: TurnRecord['what'],
  work: () => Promise<T>,
): Promise<T> {
  const turnId = randomBytes(9).toString('base64url');
  // 1. The turn is durable.
  const offset = await writer.put('turn', turnId, { what: purpose });
  try {
    // 2. Everything before the turn is read: all earlier turns, and all writes of turns that have ended.
    if (!(await waitUntil(() => state.readUpTo >= offset, readMs)))
      throw new ServerUnreachableError('kafka', 'Kafka does not answer in time. Nothing was changed.');
    const isNext = (): boolean =>
      state.findOffsets('turn', (turn) => turn.what === purpose).every((otherOffset) => otherOffset >= offset);
    // 3. The earlier turns have ended; their writes were read before their ends.
    await waitUntil(isNext, deadMs);
    return await work();
  } finally {
    await writer.put('turn', turnId, null).catch(() => undefined);
  }
}

async function waitUntil(isMet: () => boolean, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (!isMet() && performance.now() < deadline) await sleep(pollMs);
  return isMet();
}
