import { retry } from '@sluice/service';
import { isTransient } from './transient-error.js';

const timeoutMs = 10_000;

/** Repeats a request while a broker does not know a new topic, its leader or a coordinator yet. */
export function whenLed<T>(ask: () => Promise<T>, forMs = timeoutMs): Promise<T> {
  return retry(ask, { forMs, while: isTransient, firstPauseMs: 100, maxPauseMs: 200 });
}
