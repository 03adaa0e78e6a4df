import { addLatency } from './latencies.js';

/** Persons of a series, each of which stands for one partition: send-probe.ts of the gateway. */
export const probePeople = 24;
/** Probes older than this may have expired: they are kept for 8 days. */
export const judgeableMs = 6 * 86_400_000;

/** A probe in the table. Times are milliseconds since 1970. */
export interface StoredProbe {
  readonly number: number;
  readonly copies: number;
  /** No message up to this number waited on the disk of the gateway. */
  readonly drained: number;
  readonly called: number;
  readonly stored: number;
  /** Ranges of earlier numbers that were not accepted, such as `3-3,7-12`. */
  readonly refused: string;
  readonly inDoubt: string;
}

/** Results of a series up to a number. */
export interface SeriesTotals {
  readonly series: string;
  readonly judgedUpTo: number;
  readonly began: number;
  readonly lastCall: number;
  readonly accepted: number;
  readonly refused: number;
  readonly inDoubt: number;
  readonly unjudged: number;
  readonly latencies: readonly number[];
}

/** A probe that was not stored once. */
export interface ProbeFault {
  readonly number: number;
  readonly kind: 'lost' | 'doubled';
  /** Call of the probe, or of the next one that was stored. */
  readonly called: number;
}

export interface SeriesJudgement {
  readonly totals: SeriesTotals;
  readonly faults: readonly ProbeFault[];
}

export const noTotals = (series: string): SeriesTotals => ({
  ...{ series, judgedUpTo: 0, began: 0, lastCall: 0, accepted: 0, refused: 0, inDoubt: 0, unjudged: 0 },
  latencies: [],
});

/**
 * Judges the probes of which nothing can be on its way any more: a later one of the same person, whose messages keep
 * their order, was sent when nothing waited on the disk of the gateway, and is stored. So the time of an outage does not
 * matter. Two that judge the same probes agree.
 * @param probes after `before.judgedUpTo`, in the order of their numbers
 */
export function judgeSeries(
  before: SeriesTotals,
  probes: readonly StoredProbe[],
  now: number,
): SeriesJudgement | undefined {
  const [first] = probes;
  if (!first) return undefined;
  const isExpired = now - (before.lastCall || first.called) > judgeableMs;
  const from = isExpired ? Math.max(before.judgedUpTo, first.number - 1) : before.judgedUpTo;
  const judgedUpTo = findJudgeable(from, probes);
  if (judgedUpTo <= before.judgedUpTo) return undefined;
  const refused = readRanges(probes, 'refused', from, judgedUpTo);
  const inDoubt = readRanges(probes, 'inDoubt', from, judgedUpTo);
  const byNumber = new Map(probes.map((probe) => [probe.number, probe]));
  const latencies = [...before.latencies];
  const faults: ProbeFault[] = [];
  let lastCall = before.lastCall;
  // From the last to the first, so that a lost probe knows the next one that was stored.
  let nextCall = probes.find(({ number }) => number > judgedUpTo)?.called ?? now;
  for (let number = judgedUpTo; number > from; number--) {
    const probe = byNumber.get(number);
    if (probe) {
      nextCall = probe.called;
      lastCall = Math.max(lastCall, probe.called);
      addLatency(latencies, probe.stored - probe.called);
      if (probe.copies > 1) faults.push({ number, kind: 'doubled', called: nextCall });
    } else if (!refused.has(number) && !inDoubt.has(number)) faults.push({ number, kind: 'lost', called: nextCall });
  }
  return {
    faults,
    totals: {
      series: before.series,
      judgedUpTo,
      began: before.began || first.called,
      lastCall,
      accepted: before.accepted + judgedUpTo - from - refused.size - inDoubt.size,
      refused: before.refused + refused.size,
      inDoubt: before.inDoubt + inDoubt.size,
      unjudged: before.unjudged + from - before.judgedUpTo,
      latencies,
    },
  };
}

/** The last number that can be judged: each person has a later probe, which proves that earlier probes had their time. */
function findJudgeable(from: number, probes: readonly StoredProbe[]): number {
  const pastByPerson = new Map<number, number>();
  for (const { number, drained } of probes) {
    const person = number % probePeople;
    pastByPerson.set(person, Math.max(pastByPerson.get(person) ?? from, Math.min(drained, number - 1)));
  }
  let judgeable = Infinity;
  for (let person = 0; person < probePeople; person++) {
    const past = pastByPerson.get(person) ?? from;
    // The person's first number after those that are past.
    const next = past + 1 + ((((person - past - 1) % probePeople) + probePeople) % probePeople);
    judgeable = Math.min(judgeable, next - 1);
  }
  return judgeable;
}

/** Numbers in the ranges that any of the probes reports, within the judged ones. */
function readRanges(
  probes: readonly StoredProbe[],
  member: 'refused' | 'inDoubt',
  from: number,
  until: number,
): Set<number> {
  const numbers = new Set<number>();
  for (const text of new Set(probes.map((probe) => probe[member]))) {
    for (const [, begin = '', end = ''] of text.matchAll(/(\d+)-(\d+)/g))
      for (let number = Math.max(Number(begin), from + 1); number <= Math.min(Number(end), until); number++)
        numbers.add(number);
  }
  return numbers;
}
