import { expect, it } from 'vitest';
import { RequestLoad } from './load.js';

const times = (count: number, act: () => void): void => {
  for (let i = 0; i < count; i++) act();
};

/** Counts this many requests a second, for long enough to become the recent rate. */
function atRate(load: RequestLoad, finished: number, rejected: number, seconds = 60): void {
  times(seconds, () => {
    times(finished, () => load.finish());
    times(rejected, () => load.reject());
    load.tick();
  });
}

it('says one second while all requests in work take less', () => {
  const load = new RequestLoad(() => 50);
  atRate(load, 1_000, 0);
  expect(load.retryAfterSeconds(0)).toBe(1);
});

it('says how long the requests in work will take at the recent rate, spread over twice that time', () => {
  const load = new RequestLoad(() => 1_000);
  atRate(load, 100, 0);
  // Between two ticks the measured rate is a little too low.
  expect(load.retryAfterSeconds(0)).toBeGreaterThanOrEqual(10);
  expect(load.retryAfterSeconds(0)).toBeLessThanOrEqual(12);
  expect(load.retryAfterSeconds(0.999)).toBeGreaterThanOrEqual(20);
});

it('expects the requests that were refused to return', () => {
  const load = new RequestLoad(() => 0);
  atRate(load, 100, 200);
  const seconds = load.retryAfterSeconds(0);
  expect(seconds).toBeGreaterThan(10);
  expect(seconds).toBeLessThan(20);
});

it('never says less than a second nor more than a minute', () => {
  const stuck = new RequestLoad(() => 4_000);
  expect(stuck.retryAfterSeconds(1)).toBe(60);
  expect(new RequestLoad(() => 0).retryAfterSeconds(0)).toBe(1);
});

it('is overloaded for long when most requests were refused for half a minute, until soon after that ends', () => {
  const load = new RequestLoad(() => 0);
  atRate(load, 10, 20, 25);
  expect(load.isOverloadedForLong).toBe(false);
  atRate(load, 10, 20, 15);
  expect(load.isOverloadedForLong).toBe(true);
  atRate(load, 30, 0, 15);
  expect(load.isOverloadedForLong).toBe(false);
});
