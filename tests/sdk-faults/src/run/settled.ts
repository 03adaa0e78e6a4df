import { setTimeout as sleep } from 'node:timers/promises';

/** Rows that are on their way to the table arrive within this time, or are not there. */
const settleMs = 60_000;
const pollMs = 1_000;

/**
 * Reads the stored rows until they are whole, or until none has arrived for a minute.
 * @param count number of the rows that were read
 */
export async function settled<T>(
  read: () => Promise<T>,
  { count, isWhole }: { count: (stored: T) => number; isWhole: (stored: T) => boolean },
): Promise<T> {
  let stored = await read();
  let changedAt = performance.now();
  while (!isWhole(stored) && performance.now() - changedAt < settleMs) {
    await sleep(pollMs);
    const now = await read();
    if (count(now) !== count(stored)) changedAt = performance.now();
    stored = now;
  }
  return stored;
}
