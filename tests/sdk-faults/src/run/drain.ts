import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 500;
const sayEveryMs = 15_000;

export interface DrainOptions {
  /** Noun of the counted things, in the plural. */
  readonly noun: string;
  /** Time after which it gives up if nothing has become less. */
  readonly timeoutMs: number;
}

/** Waits until nothing is left, and prints now and then how much is. Resolves with what is left at the end. */
export async function waitUntilDrained(
  countLeft: () => number | Promise<number>,
  { noun, timeoutMs }: DrainOptions,
): Promise<number> {
  const beganAt = performance.now();
  let [saidAt, shrunkAt] = [beganAt, beganAt];
  for (let min = Infinity; ;) {
    const count = await countLeft();
    const now = performance.now();
    if (count < min) [min, shrunkAt] = [count, now];
    if (count === 0 || now - shrunkAt > timeoutMs) {
      console.error(`${count} ${noun} still wait after ${Math.round((now - beganAt) / 1_000)} s`);
      return count;
    }
    if (now - saidAt > sayEveryMs) {
      saidAt = now;
      console.error(`${count} ${noun} still wait`);
    }
    await sleep(pollMs);
  }
}
