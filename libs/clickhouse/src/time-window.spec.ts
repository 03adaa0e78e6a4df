import { expect, it } from 'vitest';
import { joinWindows } from './time-window.js';

const windows = (...ends: [number, number][]) => ends.map(([from, to]) => ({ from, to }));

it('keeps few windows apart, in order', () => {
  expect(joinWindows(windows([20, 29], [0, 9]), 2)).toEqual(windows([0, 9], [20, 29]));
});

it('joins windows that overlap', () => {
  expect(joinWindows(windows([0, 50], [10, 20], [50, 60], [70, 80]), 9)).toEqual(windows([0, 60], [70, 80]));
});

it('joins the windows nearest to each other when there are too many', () => {
  const many = windows([0, 9], [11, 19], [100, 109], [115, 119], [500, 509]);
  expect(joinWindows(many, 3)).toEqual(windows([0, 19], [100, 119], [500, 509]));
  expect(joinWindows(many, 1)).toEqual(windows([0, 509]));
});

it('returns no window for no window', () => {
  expect(joinWindows([], 3)).toEqual([]);
});
