import { expect, it } from 'vitest';
import { RateLimit, makeRate } from './rate-limit.js';

const limitOf = (perSecond: number, burst?: number) => new RateLimit(() => makeRate(perSecond, burst));

it('lets the burst of one second through, then an even flow, and says exactly how long to wait', () => {
  const limit = limitOf(10);
  const burst = Array.from({ length: 10 }, () => limit.take('a', 5_000));
  expect(burst).toEqual(Array(10).fill(0));

  const waitMs = limit.take('a', 5_000);
  expect(waitMs).toBeCloseTo(100);
  expect(limit.take('a', 5_000 + waitMs - 1)).toBeGreaterThan(0);
  expect(limit.take('a', 5_000 + waitMs)).toBe(0);
});

it.each([1, 3, 7, 60, 333])('lets a full burst of %i through at the real time of day', (perSecond) => {
  const limit = limitOf(perSecond);
  const now = 1_795_258_184_884;
  const waits = Array.from({ length: perSecond + 1 }, () => limit.take('a', now));
  expect(waits.slice(0, perSecond)).toEqual(Array(perSecond).fill(0));
  expect(waits.at(-1)).toBeGreaterThan(0);
});

it('counts each source separately', () => {
  const limit = limitOf(1);
  expect(limit.take('a', 5_000)).toBe(0);
  expect(limit.take('a', 5_000)).toBeGreaterThan(0);
  expect(limit.take('b', 5_000)).toBe(0);
});

it('allows a burst of another size, and counts the requests that other processes took', () => {
  const limit = limitOf(0.5, 3);
  expect(Array.from({ length: 4 }, () => limit.take('a', 5_000))).toEqual([0, 0, 0, 2_000]);

  const shared = limitOf(10);
  shared.takenElsewhere('a', 15, 5_000);
  expect(shared.take('a', 5_000)).toBeCloseTo(600);
});

it('waits at most ten seconds for the requests that other processes took', () => {
  const limit = limitOf(10);
  limit.takenElsewhere('a', 60_000, 5_000);
  expect(limit.take('a', 5_000)).toBeCloseTo(10_100);
});

it('lets all requests through without a rate', () => {
  const limit = new RateLimit(() => undefined);
  expect(Array.from({ length: 1_000 }, () => limit.take('a', 5_000)).every((wait) => wait === 0)).toBe(true);
});
