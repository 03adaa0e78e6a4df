import { setTimeout as sleep } from 'node:timers/promises';

const pauseMs = 300;
const mostMs = 90_000;

/** Does what must be done although other faults are in its way. @throws what went wrong last, after 90 s. */
export async function keepDoing<T>(work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + mostMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(pauseMs);
    }
  }
}
