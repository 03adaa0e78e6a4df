import { expect, it } from 'vitest';
import { Versions } from './state-versions.js';

it('is the time in microseconds', () =>
  expect(new Versions().next(undefined, 1_700_000_000_123)).toBe(1_700_000_000_123_000));

it('increases with every message, also within a millisecond and when the clock is set back', () => {
  const versions = new Versions();
  const times = [5, 5, 5, 4, 1, 5, 6];
  expect(times.map((now) => versions.next(undefined, now))).toEqual([5_000, 5_001, 5_002, 5_003, 5_004, 5_005, 6_000]);
});

it("is the sender's time, at most five seconds after its arrival", () => {
  const versions = new Versions();
  const next = (updatedAt: number | undefined) => versions.next(updatedAt, 1_000_000);
  expect([0, 999_999, 1_000_001, 1_004_999].map(next)).toEqual([0, 999_999_000, 1_000_001_000, 1_004_999_000]);
  // Later ones are in the order of their arrival.
  expect([1_100_000, 9_000_000_000, 1_100_000].map(next)).toEqual([1_005_000_004, 1_005_000_005, 1_005_000_006]);
  expect(next(undefined)).toBe(1_000_000_007);
});
