import { type HttpAnswer } from './ports.js';

const second = 1_000;
const minute = 60_000;
const hour = 3_600_000;
const day = 86_400_000;
const minSpread = 10_000;

/** Doubles with each of `times`, up to `most`. */
const doubled = (first: number, times: number, most: number): number => Math.min(most, first * 2 ** (times - 1));

/**
 * Wait after `failures` failed tries in a row: the larger of Retry-After and half of the backoff, plus jitter over the
 * whole backoff. Without the fixed half, clients after a long outage would send twice as many requests in the first
 * second of a recovery as in its average second.
 */
export function waitAfter(failures: number, retryAfter: number, fraction: number): number {
  const backoff = doubled(second, failures, minute);
  return Math.max(retryAfter, backoff / 2) + fraction * Math.max(minSpread, backoff);
}

/** Rest after `times` permanent errors in a row, plus up to a minute of jitter. */
export const restAfter = (times: number, fraction: number): number =>
  doubled(10 * minute, times, hour) + fraction * minute;

/** Retry-After in milliseconds, from seconds or a date; 0 without the header, at most a day. */
export function retryAfterOf(answer: HttpAnswer | undefined, now: number): number {
  const value = answer?.header('retry-after') ?? '';
  // Compare with the answer's own date, because the device's clock can be wrong by days.
  const sent = Date.parse(answer?.header('date') ?? '') || now;
  const ms = Number(value) * second || Date.parse(value) - sent;
  return Math.min(day, Math.max(0, ms || 0));
}
