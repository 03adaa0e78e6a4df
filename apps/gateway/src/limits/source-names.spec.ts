import { Registry } from '@sluice/service';
import { expect, it } from 'vitest';
import { SourceNames } from './source-names.js';

const today = { name: '2026-11-28' };
function someNames(bound: number, max?: number) {
  today.name = '2026-11-28';
  const names = new SourceNames({ boundFor: () => bound, today, metrics: new Registry(), ...(max && { max }) });
  /** Uses names from a number on; returns how many of them are admitted. */
  const use = (source: string, from: number, count: number, isTrial = false): number => {
    const used = names.namesFor(source, isTrial);
    const admitted = Array.from({ length: count }, (_, i) => used.admit(from + i + 1)).filter(Boolean).length;
    if (!isTrial) used.commit();
    return admitted;
  };
  return use;
}

it('bounds the names of each source', () => {
  const use = someNames(100);
  expect([use('a', 0, 150), use('a', 0, 150), use('b', 500, 150)]).toEqual([100, 100, 100]);
});

it('a source that uses the same names each day never meets the bound, also at midnight', () => {
  const use = someNames(100);
  for (let day = 10; day < 30; day++) {
    today.name = `2026-12-${day}`;
    expect(use('a', 0, 100)).toBe(100);
  }
});

it('names that are new each day never exceed the bound within two days', () => {
  const use = someNames(100);
  const taken = Array.from({ length: 6 }, (_, day) => {
    today.name = `2026-12-1${day}`;
    return use('a', 1_000 * day, 1_000);
  });
  expect(taken).toEqual([100, 0, 100, 0, 100, 0]);
});

it('a trial is answered as a request would be, and uses up no name', () => {
  const use = someNames(100);
  expect([use('a', 0, 150, true), use('a', 0, 150, true)]).toEqual([100, 100]);
  expect([use('a', 200, 60), use('a', 0, 60, true), use('a', 300, 60)]).toEqual([60, 40, 40]);
});

it('a request that is refused uses up no name, and its items know the names of each other', () => {
  const names = new SourceNames({ boundFor: () => 2, today, metrics: new Registry() });
  const refused = names.namesFor('a', false);
  expect([refused.admit(1), refused.has(1), refused.admit(2), refused.admit(3)]).toEqual([true, true, true, false]);
  const stored = names.namesFor('a', false);
  expect([stored.has(1), stored.admit(3), stored.admit(4), stored.admit(5)]).toEqual([false, true, true, false]);
  stored.commit();
  expect(names.namesFor('a', false).has(3)).toBe(true);
});

it('bounds the names of all sources together, and leaves some to those that come later', () => {
  const use = someNames(1_000, 1_000);
  const greedy = Array.from({ length: 20 }, (_, i) => use(`greedy ${i}`, i * 10_000, 1_000));
  expect(greedy.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(1_000);
  const useSmall = someNames(200, 1_000);
  for (let i = 0; i < 50; i++) for (let s = 0; s < 10; s++) useSmall(`greedy ${s}`, s * 10_000 + i * 10, 10);
  expect(useSmall('newcomer', 0, 100)).toBeGreaterThan(30);
  // Names of sources that are gone are forgotten.
  today.name = '2026-12-28';
  expect(useSmall('newcomer', 0, 200)).toBe(200);
});
