import { retry } from '@sluice/service';
import { isTransient } from './transient-error.js';

const patienceMs = 10_000;

/**
 * Asks again while a partition has no leader that answers: it was created a moment ago, or its leader moves. kafkajs
 * gives up at the first such answer to a question about offsets.
 */
export function whenLed<T>(ask: () => Promise<T>, forMs = patienceMs): Promise<T> {
  return retry(ask, { forMs, while: isTransient, firstPauseMs: 100, longestPauseMs: 200 });
}
