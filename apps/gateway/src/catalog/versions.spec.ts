import { expect, it } from 'vitest';
import { Versions } from './versions.js';

it('is the time in microseconds', () => expect(new Versions().next(1_700_000_000_123)).toBe(1_700_000_000_123_000));

it('increases with every message, also within a millisecond and when the clock is set back', () => {
  const versions = new Versions();
  const times = [5, 5, 5, 4, 1, 5, 6];
  expect(times.map((now) => versions.next(now))).toEqual([5_000, 5_001, 5_002, 5_003, 5_004, 5_005, 6_000]);
});
