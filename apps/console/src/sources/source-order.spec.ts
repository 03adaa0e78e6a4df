import { expect, it } from 'vitest';
import { type Activity, inOrderOfLook, isNamed, judgeLook } from './source-order.js';

const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
const activity = (change: Partial<Activity> = {}): Activity => ({
  events: 0,
  refused: 0,
  newestReceived: null,
  newestStored: null,
  ...change,
});
const source = (sourceIdentifier: string, change: { name?: string; status?: 'disabled' } = {}) => ({
  sourceIdentifier,
  name: sourceIdentifier,
  status: 'enabled' as const,
  ...change,
});

it('a tenth of the requests refused needs a look, a few refused ones do not', () => {
  expect(judgeLook(activity({ refused: 120, newestReceived: minutesAgo(90) }))).toBe('all-refused');
  expect(judgeLook(activity({ refused: 120, events: 1 }))).toBe('many-refused');
  expect(judgeLook(activity({ refused: 100, events: 900, newestReceived: minutesAgo(0) }))).toBe('many-refused');
  expect(judgeLook(activity({ refused: 100, events: 901, newestReceived: minutesAgo(0) }))).toBeUndefined();
  expect(judgeLook(activity({ refused: 20 }))).toBeUndefined();
});

it('a source that sent within a day and not within an hour is silent', () => {
  expect(judgeLook(activity({ newestReceived: minutesAgo(61) }))).toBe('silent');
  expect(judgeLook(activity({ newestReceived: minutesAgo(59) }))).toBeUndefined();
  expect(judgeLook(activity())).toBeUndefined();
});

it('what needs a look comes first, what never sent anything comes after what sends', () => {
  const known: Record<string, Activity> = {
    few: activity({ events: 3, newestReceived: minutesAgo(1) }),
    many: activity({ events: 9_000, refused: 4, newestReceived: minutesAgo(1) }),
    wholly: activity({ refused: 500, events: 1 }),
    broken: activity({ refused: 120 }),
    silent: activity({ newestReceived: minutesAgo(90) }),
    longer: activity({ newestReceived: minutesAgo(900) }),
  };
  const sources = [
    source('off', { status: 'disabled' }),
    source('never-b', { name: 'b' }),
    source('never-a', { name: 'a' }),
    ...Object.keys(known).map((id) => source(id)),
  ];
  const ordered = inOrderOfLook(sources, (id) => known[id] ?? activity());
  const ids = ordered.map(({ sourceIdentifier }) => sourceIdentifier);
  expect(ids).toEqual(['broken', 'wholly', 'silent', 'longer', 'many', 'few', 'never-a', 'never-b', 'off']);
});

it('a text finds names and identifiers, in upper and lower case', () => {
  const shop = source('Ab3dEf', { name: 'Corner Shop' });
  expect(['corner', ' SHOP ', 'ab3', ''].map((text) => isNamed(shop, text))).toEqual([true, true, true, true]);
  expect(isNamed(shop, 'market')).toBe(false);
});
