import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServerUnreachableError } from '../operation-error.js';
import { type ConsoleState } from './console-state.js';
import { type ConsoleWriter } from './console-writer.js';
import { type TurnRecord } from './records.js';

/** Time for the reading to come to what was just written. */
const readMs = 5_000;
/** Time after which a turn that neither ends nor gives way is one of a process that is gone. */
const deadMs = 15_000;
const lookEveryMs = 20;

/**
 * Runs work that reads the state and then writes what follows from it, one at a time over all instances. Each call writes a
 * turn; the one with the lowest offset is next, which all instances read in the same order. The work must be short: other
 * calls wait for it, and take a turn that lasts for 15 s for that of a process that is gone.
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
    // 2. Everything before it is read: all earlier turns, and all that ended ones have written.
    if (!(await until(() => state.readUpTo >= offset, readMs)))
      throw new ServerUnreachableError('kafka', 'Kafka does not answer in time. Nothing was changed.');
    const isNext = (): boolean => state.offsetsOf('turn', (one) => one.what === what).every((other) => other >= offset);
    // 3. What ended turns have written was read with their ends.
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
