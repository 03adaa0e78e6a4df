import { type HttpAnswer } from '../ports/ports.js';

const second = 1_000;
const minute = 60_000;
const hour = 3_600_000;
const day = 86_400_000;
const minSpread = 10_000;

/** Doubles with each of `times`, up to `max`. */
const doubled = (first: number, times: number, max: number): number => Math.min(max, first * 2 ** (times - 1));

/**
 * The schedule of tries, here and in `restAfter`. After the n-th try in a row that failed, a batch waits
 *
 * - 0.5 s to 10.5 s for n = 1, 1 s to 11 s for 2, 2 s to 12 s for 3, 4 s to 14 s for 4, 8 s to 24 s for 5,
 *   16 s to 48 s for 6, and 30 s to 90 s from the 7th on: half of the backoff, plus jitter over all of it or 10 s;
 * - at least as long as Retry-After says, plus that jitter;
 * - without an end, until a try fails past `maxAge`.
 *
 * While the credentials are refused, all batches rest for 10 min, 20 min, 40 min and then 1 h each time, plus up to a
 * minute. A batch that is too large while an earlier try is in doubt waits as long, without delaying others.
 *
 * Without the fixed half, clients after a long outage would send twice as many requests in the first second of a
 * recovery as in its average second.
 */
export function waitAfter(failures: number, retryAfter: number, fraction: number): number {
  const backoff = doubled(second, failures, minute);
  return Math.max(retryAfter, backoff / 2) + fraction * Math.max(minSpread, backoff);
}

/** Rest after `times` permanent errors in a row, plus up to a minute of jitter. */
export const restAfter = (times: number, fraction: number): number =>
  doubled(10 * minute, times, hour) + fraction * minute;

/**
 * Retry-After in milliseconds, from seconds or a date; 0 without the header. At most a day, or five minutes if something
 * else than the service has answered: a portal that one leaves must not stop a client for a day.
 */
export function readRetryAfter(answer: HttpAnswer | undefined, now: number, isFromService: boolean): number {
  const value = answer?.header('retry-after') ?? '';
  // Compare with the answer's own date, because the device's clock can be wrong by days.
  const sent = Date.parse(answer?.header('date') ?? '') || now;
  const ms = Number(value) * second || Date.parse(value) - sent;
  return Math.min(isFromService ? day : 5 * minute, Math.max(0, ms || 0));
}
