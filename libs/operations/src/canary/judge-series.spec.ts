import { expect, it } from 'vitest';
import {
  judgeableMs,
  judgeSeries,
  noTotals,
  probePeople,
  type SeriesTotals,
  type StoredProbe,
} from './judge-series.js';
import { addLatency, findQuantile } from './latencies.js';

const startedAt = Date.parse('2026-03-03T00:00:00Z');
const stepMs = 5_000;

/** Probes that were stored, all but those of some numbers, a second after their call. */
function storedProbes(
  count: number,
  { without = [], change = {} }: { without?: number[]; change?: Record<number, Partial<StoredProbe>> } = {},
): StoredProbe[] {
  return Array.from({ length: count }, (_, index): StoredProbe => {
    const number = index + 1;
    const called = startedAt + number * stepMs;
    return {
      ...{ number, copies: 1, drained: number - 1, called, stored: called + 1_000, refused: '', inDoubt: '' },
      ...change[number],
    };
  }).filter(({ number }) => !without.includes(number));
}
const soon = startedAt + 3_600_000;

it('judges what can no longer be on its way, and finds it stored once', () => {
  const judgement = judgeSeries(noTotals('s'), storedProbes(100), soon);
  expect(judgement?.faults).toEqual([]);
  // Each of the 24 persons has a later probe than these.
  expect(judgement?.totals).toMatchObject({ judgedUpTo: 76, accepted: 76, refused: 0, inDoubt: 0, unjudged: 0 });
  expect(judgement?.totals).toMatchObject({ began: startedAt + stepMs, lastCall: startedAt + 76 * stepMs });
  expect(judgeSeries(noTotals('s'), storedProbes(probePeople), soon)).toBeUndefined();
});

it('names a lost probe and a doubled one, once', () => {
  const probes = storedProbes(120, { without: [10], change: { 20: { copies: 2 } } });
  const judgement = judgeSeries(noTotals('s'), probes, soon);
  expect(judgement?.faults).toEqual([
    { number: 20, kind: 'doubled', called: startedAt + 20 * stepMs },
    { number: 10, kind: 'lost', called: startedAt + 11 * stepMs },
  ]);
  const after = judgement?.totals ?? noTotals('s');
  expect(
    judgeSeries(
      after,
      probes.filter(({ number }) => number > after.judgedUpTo),
      soon,
    ),
  ).toBeUndefined();
});

it('counts refused probes and those in doubt apart: they may be missing, and no more than once', () => {
  const reported = { refused: '5-7', inDoubt: '9-9' };
  const change = Object.fromEntries(Array.from({ length: 91 }, (_, index) => [index + 10, reported]));
  const judgement = judgeSeries(noTotals('s'), storedProbes(100, { without: [5, 6, 9], change }), soon);
  expect(judgement?.faults).toEqual([]);
  expect(judgement?.totals).toMatchObject({ judgedUpTo: 76, accepted: 72, refused: 3, inDoubt: 1 });
});

it('waits for the disk of a gateway for as long as it takes', () => {
  // From number 31 on, the gateway says that something waits on its disk; 40 to 60 are there.
  const without = Array.from({ length: 21 }, (_, index) => index + 40);
  const change = Object.fromEntries(Array.from({ length: 970 }, (_, index) => [index + 31, { drained: 30 }]));
  const days = startedAt + 5 * 86_400_000;
  expect(judgeSeries(noTotals('s'), storedProbes(1_000, { without, change }), days)?.totals.judgedUpTo).toBe(30);

  const drained = storedProbes(1_100, {
    change: Object.fromEntries(Array.from({ length: 970 }, (_, i) => [i + 31, { drained: 30 }])),
  });
  expect(judgeSeries(noTotals('s'), drained, days)).toMatchObject({ faults: [], totals: { judgedUpTo: 1_076 } });
});

it('judges the same in one look or in many', () => {
  const probes = storedProbes(2_000, { without: [77, 400, 401], change: { 900: { copies: 3 } } });
  let totals: SeriesTotals = noTotals('s');
  const faults: unknown[] = [];
  for (let end = 30; end <= 2_000; end += 37) {
    const readable = probes.filter(({ number }) => number > totals.judgedUpTo && number <= end);
    const judgement = judgeSeries(totals, readable, soon);
    if (judgement) faults.push(...judgement.faults);
    totals = judgement?.totals ?? totals;
  }
  const last = judgeSeries(
    totals,
    probes.filter(({ number }) => number > totals.judgedUpTo),
    soon,
  );
  const atOnce = judgeSeries(noTotals('s'), probes, soon);
  expect(last?.totals ?? totals).toEqual(atOnce?.totals);
  expect(faults).toHaveLength(4);
});

it('judges no probe that may have expired while nobody judged', () => {
  const { totals = noTotals('s') } = judgeSeries(noTotals('s'), storedProbes(100), soon) ?? {};
  const late = storedProbes(5_000).filter(({ number }) => number > 3_000);
  const judgement = judgeSeries(totals, late, startedAt + judgeableMs + 86_400_000);
  expect(judgement).toMatchObject({ faults: [], totals: { judgedUpTo: 4_976, unjudged: 2_924, accepted: 76 + 1_976 } });
});

it('knows a quantile to 5 %', () => {
  const counts: number[] = [];
  for (let ms = 1; ms <= 10_000; ms++) addLatency(counts, ms);
  const p99 = findQuantile(counts, 0.99) ?? 0;
  expect(p99).toBeGreaterThanOrEqual(9_900);
  expect(p99).toBeLessThanOrEqual(9_900 * 1.05);
  expect(findQuantile([], 0.99)).toBeNull();
});
