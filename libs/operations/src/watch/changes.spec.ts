import { describe, expect, it } from 'vitest';
import { type EventChange, changeKey, foldHour, hourMs } from './changes.js';
import { type DimensionCount, explainChange } from './explain-change.js';
import { type EventFinding, judgeEvents } from './judge-events.js';
import { judgeProperty, type PropertyHour } from './judge-properties.js';
import { judgeShare } from './judge-shares.js';
import { addUpHours, neededHours } from './series.js';

const aHour = (looked: number, types: Record<string, number>): PropertyHour => ({
  looked,
  types: new Map(Object.entries(types)),
});
const aProperty = (judged: PropertyHour, before: readonly PropertyHour[]) =>
  judgeProperty({ source: 'Source', event: 'order_completed', property: 'total', judged, before });
const steady = Array.from({ length: 5 }, () => aHour(200, { number: 190 }));

describe('judgeProperty', () => {
  it('finds a type that is new, also while most messages have the old one', () => {
    const finding = aProperty(aHour(200, { number: 140, text: 50 }), steady);
    expect(finding).toMatchObject({ kind: 'type', typeBefore: 'number', type: 'text', share: 0.25 });
  });

  it('finds a property that vanished', () => {
    expect(aProperty(aHour(200, { number: 10 }), steady)).toMatchObject({ kind: 'vanished', share: 0.05 });
  });

  it.each([
    [
      'a type that was always there, too',
      aHour(200, { text: 190 }),
      [...steady, aHour(200, { number: 150, text: 40 })],
    ],
    ['an optional property', aHour(200, {}), Array.from({ length: 5 }, () => aHour(200, { number: 60 }))],
  ])('says nothing of %s', (_, judged, before) => expect(aProperty(judged, before)).toBe('well'));

  it.each([
    ['few messages', aHour(20, { text: 20 }), steady],
    ['a short history', aHour(200, { text: 190 }), steady.slice(0, 3)],
  ])('does not know with %s', (_, judged, before) => expect(aProperty(judged, before)).toBe('unknown'));
});

const shareOf = (parts: (hour: number) => number, hours = neededHours) =>
  judgeShare({
    source: 'Source',
    event: '',
    kind: 'refused',
    parts: addUpHours(Array.from({ length: hours }, (_, hour) => parts(hours - 1 - hour))),
    wholes: addUpHours(Array.from({ length: hours }, () => 1_000)),
  });

describe('judgeShare', () => {
  it('finds a share that rose for two hours', () =>
    expect(shareOf((hoursAgo) => (hoursAgo < 2 ? 150 : 20))).toMatchObject({ share: 0.15, expectedShare: 0.02 }));
  it('waits for the second hour', () => expect(shareOf((hoursAgo) => (hoursAgo < 1 ? 150 : 20))).toBe('unclear'));
  it('is well at the share of the weeks before', () => expect(shareOf(() => 20)).toBe('well'));
  it('knows nothing after three days', () => expect(shareOf(() => 20, 72)).toBe('unknown'));
});

const aCount = (value: string, counts: [number, number, number, number]): DimensionCount => {
  const [partBefore, wholeBefore, partAfter, wholeAfter] = counts;
  return { dimension: 'app', value, partBefore, wholeBefore, partAfter, wholeAfter };
};

describe('explainChange', () => {
  it('names the new version that lacks the event', () =>
    expect(explainChange([aCount('4.2.0', [100, 1_000, 50, 500]), aCount('4.2.1', [0, 10, 0, 500])])).toBe(
      'app 4.2.1',
    ));
  it('names none when the new version has the event, too', () =>
    expect(explainChange([aCount('4.2.0', [100, 1_000, 1, 500]), aCount('4.2.1', [1, 10, 50, 500])])).toBe(''));
  it('names no old version', () => expect(explainChange([aCount('4.2.0', [100, 1_000, 0, 500])])).toBe(''));
});

const aFinding = (kind: EventFinding['kind'], hours = 3): EventFinding => ({
  source: 'Source',
  event: 'order_completed',
  kind,
  hours,
  messages: 0,
  expected: { low: 300, middle: 330, high: 360, spread: 0.1 },
});
const openOf = (change: EventChange) => new Map([[changeKey(change), change]]);
const noKeys: ReadonlySet<string> = new Set();

describe('foldHour', () => {
  const [fell] = foldHour(new Map(), [aFinding('fell')], noKeys, 100 * hourMs).opened as [EventChange];

  it('opens a change at the first hour that showed it', () => {
    expect(fell).toMatchObject({ began: 97 * hourMs, found: 100 * hourMs, expectedLow: 100, expectedHigh: 120 });
  });

  it('keeps one change for an event that fell and then stops', () => {
    const outcome = foldHour(openOf(fell), [aFinding('stopped')], noKeys, 104 * hourMs);
    expect(outcome.opened).toEqual([]);
    expect(outcome.updated).toMatchObject([{ kind: 'stopped', began: 97 * hourMs, found: 100 * hourMs, ended: null }]);
  });

  it('ends a change when the event is well, and not while nothing is known', () => {
    expect(foldHour(openOf(fell), [], noKeys, 104 * hourMs).updated).toEqual([]);
    const wellKeys = new Set([changeKey(fell)]);
    expect(foldHour(openOf(fell), [], wellKeys, 104 * hourMs).updated).toMatchObject([{ ended: 104 * hourMs }]);
  });

  it('takes a change of two weeks for the new state', () =>
    expect(foldHour(openOf(fell), [], noKeys, (100 + 14 * 24) * hourMs).updated).toMatchObject([{ kind: 'fell' }]));
});

describe('judgeEvents', () => {
  const aSeries = (event: string, count: (hoursAgo: number) => number) => ({
    source: 'Source',
    event,
    totals: addUpHours(Array.from({ length: neededHours }, (_, hour) => count(neededHours - 1 - hour))),
  });

  it('does not blame one event when the whole source falls, as on a holiday', () => {
    const series = Array.from({ length: 8 }, (_, n) => aSeries(`event_${n}`, (hoursAgo) => (hoursAgo < 6 ? 30 : 100)));
    expect(judgeEvents(series).findings).toEqual([]);
  });

  it('knows nothing of a new or a rare event', () => {
    const series = [aSeries('new', (hoursAgo) => (hoursAgo < 300 ? 100 : 0)), aSeries('rare', () => 0.1)];
    expect(judgeEvents(series).unknown).toEqual(new Set(['Source new', 'Source rare']));
  });
});
