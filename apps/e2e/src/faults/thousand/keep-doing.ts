import { setTimeout as sleep } from 'node:timers/promises';

const pauseMs = 300;
const maxMs = 90_000;

/** Retries an action that can fail because of other faults. @throws the last error after 90 s. */
export async function keepDoing<T>(work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + maxMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(pauseMs);
    }
  }
}
