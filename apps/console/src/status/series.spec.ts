import { expect, it } from 'vitest';
import { perStep } from './series.js';

it('counts per step, and is null where nothing is known', () => {
  const range = { from: new Date(0), to: new Date(180_000) };
  expect(perStep([0.5, 0, null], { times: [0, 60, 120], stepSeconds: 60, range })).toEqual([30, 0, null]);
});
