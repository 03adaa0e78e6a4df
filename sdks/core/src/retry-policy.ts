import { type HttpAnswer } from './ports.js';

const second = 1_000;
const minute = 60 * second;
const longestRetryAfter = 24 * 60 * minute;
const [leastSpread, longestBackoff] = [10 * second, minute];
const [firstRest, longestRest] = [10 * minute, 60 * minute];

/**
 * Wait after `failures` failed tries in a row: the larger of Retry-After and half of the backoff, plus jitter over the
 * whole backoff. Without the fixed half, clients after a long outage would send twice as many requests in the first
 * second of a recovery as in its average second.
 */
export function waitAfter(failures: number, retryAfter: number, fraction: number): number {
  const backoff = Math.min(longestBackoff, second * 2 ** Math.min(failures - 1, 10));
  return Math.max(retryAfter, backoff / 2) + fraction * Math.max(leastSpread, backoff);
}

/** Rest after `times` permanent errors in a row, plus up to a minute of jitter. */
export const restAfter = (times: number, fraction: number): number =>
  Math.min(longestRest, firstRest * 2 ** Math.min(times - 1, 10)) + fraction * minute;

/** Retry-After in milliseconds, from seconds or a date; 0 without the header, at most a day. */
export function retryAfterOf(answer: HttpAnswer, now: number): number {
  const value = answer.header('retry-after') ?? '';
  // Compare with the answer's own date, because the device's clock can be wrong by days.
  const sent = Date.parse(answer.header('date') ?? '') || now;
  const ms = /^\d+$/.test(value) ? Number(value) * second : Date.parse(value) - sent;
  return Math.min(longestRetryAfter, Math.max(0, ms || 0));
}
