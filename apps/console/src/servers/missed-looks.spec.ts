import { expect, it } from 'vitest';
import { MissedLooks } from './missed-looks.js';

it('calls one look without an answer a hiccup, however long it took', () => {
  const looks = new MissedLooks();
  expect(looks.miss(0, 2_000)).toBeUndefined();
  looks.answer();
  expect(looks.miss(10_000, 12_000)).toBeUndefined();
});

it('calls a server that does not answer twice in a row unreachable, since the first look', () => {
  const looks = new MissedLooks();
  expect(looks.miss(0, 1_000)).toBeUndefined();
  expect(looks.miss(1_500, 2_500)).toBe(2_500);
  expect(looks.miss(3_000, 4_000)).toBe(4_000);
});

it('does not call a server unreachable that refuses connections for a second', () => {
  const looks = new MissedLooks();
  expect([0, 500, 1_000].map((time) => looks.miss(time, time + 1))).toEqual([undefined, undefined, undefined]);
  looks.answer();
  expect([1_500, 2_000].map((time) => looks.miss(time, time + 1))).toEqual([undefined, undefined]);
  expect(looks.miss(3_000, 3_001)).toBe(1_501);
});
