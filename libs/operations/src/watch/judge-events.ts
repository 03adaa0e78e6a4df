import {
  type Expectation,
  expectWindow,
  findMiddle,
  measureLevel,
  type SourceLevel,
  type WeekMiddle,
} from './expectation.js';
import { type EventSeries, type HourTotals, sumWindow } from './series.js';

export type EventTrouble = 'stopped' | 'fell';

/** An event of which less arrives than its history lets expect. */
export interface EventFinding {
  readonly source: string;
  readonly event: string;
  readonly kind: EventTrouble;
  /** Hours of the window that was judged; it ends with the judged hour. */
  readonly hours: number;
  readonly messages: number;
  readonly expected: Expectation;
}

export interface EventsJudgement {
  readonly findings: readonly EventFinding[];
  /** Events of which as much arrives as expected, by `seriesKey`: an open change of theirs has ended. */
  readonly well: ReadonlySet<string>;
  /** Events whose history is too short, too small or too uneven to know what to expect. */
  readonly unknown: ReadonlySet<string>;
}

/** Lengths of the windows, in hours. Rare events are judged by the longer ones only. */
const windows = [1, 2, 3, 4, 8, 24] as const;
/** Messages that are expected at least: fewer may be missing by chance. */
const minExpected = 20;
/** Part of the expectation up to which an event has stopped: old versions of apps, and the minutes before, send some. */
const stoppedShare = 0.1;
/** Part of the low expectation below which an event fell. */
const fellShare = 0.5;
/** An event falls for at least as many hours: one bad hour is not a change. */
const minFellHours = 3;
const minDeviations = 5.7;
/** Part of the expectation from which an event is well again, in a window of some hours: one good hour may be chance. */
const wellShare = 0.6;
const minWellHours = 4;

export const seriesKey = (source: string, event: string): string => `${source} ${event}`;

/**
 * Judges the last hour of all events. Pure: the same hours give the same judgement.
 *
 * The expectation of an event is scaled by what the other events of its source do: if all of them fall, as on a holiday
 * or while a gateway spools, none of them has changed. A source that falls silent as a whole is left to SourceSilent.
 */
export function judgeEvents(series: readonly EventSeries[]): EventsJudgement {
  const sources = Map.groupBy(series, ({ source }) => source);
  const levels = windows.map((length) => measureLevels(sources, length));
  const findings: EventFinding[] = [];
  const [well, unknown] = [new Set<string>(), new Set<string>()];
  for (const [source, events] of sources) {
    const windowLevels = levels.flatMap((levelOfSource) => levelOfSource.get(source) ?? []);
    // Few sources have an event that needs them.
    let sourceTotals: HourTotals | undefined;
    const addUp = (): HourTotals => (sourceTotals ??= addUpEvents(events));
    for (const [index, eventSeries] of events.entries()) {
      const verdict = judgeSeries(eventSeries, windowLevels, index, addUp);
      const key = seriesKey(source, eventSeries.event);
      if (verdict === 'well') well.add(key);
      else if (verdict === 'unknown') unknown.add(key);
      else if (verdict !== 'unclear') findings.push(verdict);
    }
  }
  return { findings, well, unknown };
}

/** A window of one source: its level, and what the weeks before had of each of its events. */
interface WindowLevel extends SourceLevel {
  readonly length: number;
  readonly middles: readonly WeekMiddle[];
}

/** Measures the levels of all sources. A source of few events has the middle level of the others. */
function measureLevels(sources: ReadonlyMap<string, readonly EventSeries[]>, length: number): Map<string, WindowLevel> {
  const measured = [...sources].map(([source, events]) => {
    const middles = events.map(({ totals }) => findMiddle(totals, length));
    return { source, middles, sourceLevel: measureLevel(events, middles, length) };
  });
  const levels = measured.flatMap(({ sourceLevel }) => sourceLevel ?? []).sort((a, b) => a.level - b.level);
  const commonLevel = levels[Math.floor(levels.length / 2)] ?? { level: 1, scatter: 0 };
  return new Map(
    measured.map(({ source, middles, sourceLevel = commonLevel }) => [source, { length, middles, ...sourceLevel }]),
  );
}

type Verdict = EventFinding | 'well' | 'unknown' | 'unclear';

/** Adds up all events of a source. */
function addUpEvents(events: readonly EventSeries[]): Float64Array {
  const sum = new Float64Array(Math.max(0, ...events.map(({ totals }) => totals.length)));
  for (const { totals } of events)
    for (let hour = 0; hour < sum.length; hour++) sum[hour] = (sum[hour] ?? 0) + (totals[hour] ?? 0);
  return sum;
}

function judgeSeries(
  series: EventSeries,
  levels: readonly WindowLevel[],
  index: number,
  addUpSource: () => HourTotals,
): Verdict {
  const { totals } = series;
  let verdict: Verdict = 'unknown';
  for (const windowLevel of levels) {
    const { length, level, middles } = windowLevel;
    const { second, middle } = middles[index] ?? noMiddle;
    if (second * level < minExpected) continue;
    const messages = sumWindow(totals, length, 0);
    if (messages >= wellShare * middle * level) {
      // Longer windows still remember what a well one no longer has.
      if (length >= minWellHours) return 'well';
      verdict = 'unclear';
      continue;
    }
    verdict = 'unclear';
    // Most are neither well nor in trouble; they need no further look.
    if (messages >= (length < minFellHours ? stoppedShare : fellShare) * middle * level) continue;
    const expected = expectWindow({ ...windowLevel, totals, sourceTotals: addUpSource() });
    if (expected.low < minExpected) continue;
    const kind = findTrouble(messages, length, expected);
    if (kind) return { source: series.source, event: series.event, kind, hours: length, messages, expected };
  }
  return verdict;
}

const noMiddle: WeekMiddle = { second: 0, middle: 0 };

function findTrouble(messages: number, length: number, expected: Expectation): EventTrouble | undefined {
  const deviations = Math.log((expected.middle + 1) / (messages + 1)) / expected.spread;
  if (deviations < minDeviations) return undefined;
  if (messages <= stoppedShare * expected.low) return 'stopped';
  return length >= minFellHours && messages < fellShare * expected.low ? 'fell' : undefined;
}
