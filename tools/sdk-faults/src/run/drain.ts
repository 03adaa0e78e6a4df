import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 500;
const sayEveryMs = 15_000;

export interface DrainOptions {
  /** What is counted, in the plural. */
  readonly what: string;
  /** Time after which it gives up if nothing has become less. */
  readonly timeoutMs: number;
}

/** Waits until nothing is left, and prints now and then how much is. Resolves with what is left at the end. */
export async function drain(left: () => number | Promise<number>, { what, timeoutMs }: DrainOptions): Promise<number> {
  const beganAt = performance.now();
  let [saidAt, shrunkAt] = [beganAt, beganAt];
  for (let min = Infinity; ;) {
    const count = await left();
    const now = performance.now();
    if (count < min) [min, shrunkAt] = [count, now];
    if (count === 0 || now - shrunkAt > timeoutMs) {
      console.error(`${count} ${what} still wait after ${Math.round((now - beganAt) / 1_000)} s`);
      return count;
    }
    if (now - saidAt > sayEveryMs) {
      saidAt = now;
      console.error(`${count} ${what} still wait`);
    }
    await sleep(pollMs);
  }
}
