import { type HttpAnswer } from './ports.js';

const second = 1_000;
const minute = 60 * second;
const longestRetryAfter = 24 * 60 * minute;
const [leastSpread, longestBackoff] = [10 * second, minute];
const [firstRest, longestRest] = [10 * minute, 60 * minute];

/**
 * Wait after `failures` tries in a row: not before Retry-After, nor before half of the backoff, plus full jitter over
 * the backoff. Without the half, clients that fail for long would come back twice as often in the first second of a
 * recovery as in its mean second.
 */
export function waitAfter(failures: number, retryAfter: number, fraction: number): number {
  const backoff = Math.min(longestBackoff, second * 2 ** Math.min(failures - 1, 10));
  return Math.max(retryAfter, backoff / 2) + fraction * Math.max(leastSpread, backoff);
}

/** Rest after `times` answers in a row that no retry mends, with a minute of jitter. */
export const restAfter = (times: number, fraction: number): number =>
  Math.min(longestRest, firstRest * 2 ** Math.min(times - 1, 10)) + fraction * minute;

/** Retry-After in milliseconds, given in seconds or as a date; 0 for none, a day at most. */
export function retryAfterOf(answer: HttpAnswer, now: number): number {
  const value = answer.header('retry-after') ?? '';
  // The answer's own date: the device's clock may be wrong by days.
  const sent = Date.parse(answer.header('date') ?? '') || now;
  const ms = /^\d+$/.test(value) ? Number(value) * second : Date.parse(value) - sent;
  return Math.min(longestRetryAfter, Math.max(0, ms || 0));
}
