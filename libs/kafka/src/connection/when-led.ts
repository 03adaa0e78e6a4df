import { retry } from '@sluice/service';
import { isTransient } from './transient-error.js';

const timeoutMs = 10_000;

/**
 * Repeats a request while a partition has no leader that answers, because it is new or its leader moves. kafkajs itself
 * gives up at the first such answer to a request for offsets.
 */
export function whenLed<T>(ask: () => Promise<T>, forMs = timeoutMs): Promise<T> {
  return retry(ask, { forMs, while: isTransient, firstPauseMs: 100, maxPauseMs: 200 });
}
