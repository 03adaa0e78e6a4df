import { expect, it } from 'vitest';
import { type Loss } from '../protocol/committed.js';
import { FoundLosses } from './found-losses.js';

const underWay: Loss = { from: 10n, to: 20n, state: 'under way' };
const waiting: Loss = { from: 20n, to: 30n, state: 'waiting' };

it('counts a loss once, when a commit has passed it', () => {
  const losses = new FoundLosses();
  losses.replace([underWay, waiting]);
  expect(losses.first).toBe(10n);
  expect(losses.passedBy(19n)).toEqual([]);
  expect(losses.passedBy(20n)).toEqual([underWay]);
  expect(losses.first).toBe(20n);
  expect(losses.passedBy(500n)).toEqual([waiting]);
  expect(losses.first).toBeUndefined();
  expect(losses.passedBy(500n)).toEqual([]);
});

it('counts a loss after a while even if nothing is committed', () => {
  const losses = new FoundLosses();
  losses.replace([waiting], 1_000);
  expect(losses.overdue(10_000)).toEqual([]);
  expect(losses.overdue(11_001)).toEqual([waiting]);
  expect(losses.overdue(20_000)).toEqual([]);
});
