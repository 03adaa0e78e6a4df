import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 500;
const sayEveryMs = 15_000;

export interface DrainOptions {
  /** What is counted, in the plural. */
  readonly what: string;
  readonly mostMs: number;
}

/** Waits until nothing is left, and says now and then how much is. Resolves with what is left at the end. */
export async function drain(left: () => number, { what, mostMs }: DrainOptions): Promise<number> {
  const beganAt = performance.now();
  let saidAt = beganAt;
  for (;;) {
    const count = left();
    const now = performance.now();
    if (count === 0 || now - beganAt > mostMs) {
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
