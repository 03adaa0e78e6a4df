import { expect, it } from 'vitest';
import { SampleBudget } from './sample-budget.js';

const takes = (budget: SampleBudget, times: number, source: string, now: number, reason = 'invalid_fields'): number =>
  Array.from({ length: times }, () => budget.take(source, reason, false, now)).filter(Boolean).length;

it('keeps five of a source and reason a minute', () => {
  const budget = new SampleBudget();

  expect(takes(budget, 100, 'shop', 0)).toBe(5);
  expect(takes(budget, 100, 'shop', 59_999)).toBe(0);
  expect(takes(budget, 100, 'shop', 60_000)).toBe(5);
  expect(takes(budget, 100, 'shop', 60_000, 'error.request.malformed')).toBe(5);
});

it('keeps twenty a second of all sources, and five of requests without a known source', () => {
  const budget = new SampleBudget();
  const sources = Array.from({ length: 30 }, (_, i) => `source-${i}`);

  expect(sources.filter((source) => budget.take(source, 'invalid_fields', false, 0))).toHaveLength(20);
  expect(takes(budget, 10, '', 0)).toBe(5);
  expect(sources.filter((source) => budget.take(source, 'invalid_fields', false, 1_000))).toHaveLength(20);
});

it('keeps twenty a second more of a source that is watched, and sixty of all of them', () => {
  const budget = new SampleBudget();
  const takesWatched = (source: string, now: number): number =>
    Array.from({ length: 100 }, () => budget.take(source, 'invalid_fields', true, now)).filter(Boolean).length;

  expect(takesWatched('shop', 0)).toBe(25);
  expect(takesWatched('shop', 999)).toBe(0);
  expect(takesWatched('shop', 1_000)).toBe(20);
  expect(['a', 'b', 'c'].map((source) => takesWatched(source, 2_000))).toEqual([25, 25, 25]);
  expect(takesWatched('d', 2_000)).toBe(5);
});

it('keeps twenty a second of requests that claim a source, which takes nothing from the others', () => {
  const budget = new SampleBudget();
  const sources = Array.from({ length: 300 }, (_, i) => `source-${i}`);
  const claims = (isWatched: boolean, now: number): number =>
    Array.from({ length: 100 }, () => budget.takeClaimed('shop', 'error', isWatched, now)).filter(Boolean).length;

  expect(sources.filter((source) => budget.takeClaimed(source, 'error', false, 0))).toHaveLength(20);
  expect(budget.hasRoomForClaims(0)).toBe(false);
  expect([takes(budget, 100, 'shop', 0), takes(budget, 10, '', 0)]).toEqual([5, 5]);
  expect([claims(false, 1_000), claims(true, 2_000)]).toEqual([5, 20]);
});
