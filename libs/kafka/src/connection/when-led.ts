import { setTimeout as sleep } from 'node:timers/promises';
import { isTransient } from './transient-error.js';

const patienceMs = 10_000;
const pauseMs = 200;

/**
 * Asks again while a partition has no leader that answers: it was created a moment ago, or its leader moves. kafkajs
 * gives up at the first such answer to a question about offsets.
 */
export async function whenLed<T>(ask: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isTransient(error) || performance.now() > deadline) throw error;
    }
    await sleep(pauseMs);
  }
}
