import { type EventSeries, hoursPerWeek, type HourTotals, readQuantile, sumWindow, weeksBefore } from './series.js';

/** Number of events to expect in a window, from the same hours of the weeks before. */
export interface Expectation {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
  /** Standard deviation of the logarithm, of the window and its expectation together. */
  readonly spread: number;
}

/** Level of the other events of a source in a window. */
export interface SourceLevel {
  /** Part of what the weeks before let expect. */
  readonly level: number;
  /** How far its events are from that level, as a standard deviation of the logarithm. */
  readonly scatter: number;
}

/** Less noise than this is never assumed. */
const minSpread = 0.08;
/** Upper bound of the distance of the quartiles, as a multiple of its upper half: twice that of a normal distribution. */
const upperBound = 4;
/** Distance of the quartiles, and of the 5 % and 95 % quantiles, of a normal distribution in standard deviations. */
const quartileDistance = 1.35;
const outerDistance = 3.29;

/** A question about one event in a window of `length` hours. */
export interface WindowQuestion extends SourceLevel {
  readonly totals: HourTotals;
  /** All events of the source together, added up in the same way. */
  readonly sourceTotals: HourTotals;
  readonly length: number;
}

/**
 * The quartiles of the same window, and of those one hour around it, in the weeks before. With quartiles, one week that
 * was not like the others (a holiday, an outage) changes nothing.
 */
export function expectWindow(question: WindowQuestion): Expectation {
  const { totals, length, level, scatter } = question;
  const sums: number[] = [];
  for (let week = 1; week <= weeksBefore; week++) {
    for (const shift of [-1, 0, 1]) sums.push(sumWindow(totals, length, week * hoursPerWeek + shift));
  }
  sums.sort((a, b) => a - b);
  // The fourth of twelve: the three of one bad week are below it.
  const [low, middle, high] = [readQuantile(sums, 0.3), readQuantile(sums, 0.5), readQuantile(sums, 0.75)];
  const weekly = measureSpread(question, low / 2);
  const spread = Math.sqrt(Math.max(minSpread, weekly, scatter) ** 2 + 1 / Math.max(1, middle * level));
  return { low: low * level, middle: middle * level, high: high * level, spread };
}

/**
 * Measures how much windows of an event differ from those a week before, as a standard deviation of the logarithm; what
 * the other events of the source have in common is left out. The outer quantiles count and not the middle ones: an event
 * may be calm for a day and restless for another.
 * @param min windows with fewer messages are left out, because chance alone makes them differ
 */
function measureSpread({ totals, sourceTotals, length }: WindowQuestion, min: number): number {
  const ratios: number[] = [];
  const oldest = Math.min(totals.length - 1, weeksBefore * hoursPerWeek) - hoursPerWeek - length;
  for (let hoursAgo = length; hoursAgo <= oldest; hoursAgo += length) {
    const weekAgo = hoursAgo + hoursPerWeek;
    const [sum, before] = [sumWindow(totals, length, hoursAgo), sumWindow(totals, length, weekAgo)];
    if (sum < min && before < min) continue;
    const commonSum = sumWindow(sourceTotals, length, hoursAgo) - sum;
    const commonBefore = sumWindow(sourceTotals, length, weekAgo) - before;
    const common = commonSum < sum || commonBefore < before ? 1 : commonSum / commonBefore;
    ratios.push(Math.log((sum + 1) / (before + 1) / common));
  }
  ratios.sort((a, b) => a - b);
  return (readQuantile(ratios, 0.95) - readQuantile(ratios, 0.05)) / outerDistance / Math.SQRT2;
}

/** The same window in the four weeks before: its second smallest sum, and the middle of all. */
export interface WeekMiddle {
  readonly second: number;
  readonly middle: number;
}

/** Looks at the same window in the weeks before, without the hours around it: quick, for a first look. */
export function findMiddle(totals: HourTotals, length: number): WeekMiddle {
  const [a, b] = [sumWindow(totals, length, hoursPerWeek), sumWindow(totals, length, 2 * hoursPerWeek)];
  const [c, d] = [sumWindow(totals, length, 3 * hoursPerWeek), sumWindow(totals, length, 4 * hoursPerWeek)];
  // Without the smallest and the greatest, two are left. A sort of an array would take most of a run's time.
  const [second, third] = [Math.max(Math.min(a, b), Math.min(c, d)), Math.min(Math.max(a, b), Math.max(c, d))];
  return { second: Math.min(second, third), middle: (second + third) / 2 };
}

/** Events with fewer messages in a window say nothing about the level of their source. */
const minMiddle = 20;
/** Events with fewer are scattered by chance alone. */
const minSteady = 150;
const minSteadyEvents = 12;
/** Min number of events that make a level. With fewer, an event that stops would lower the level with it. */
const minEvents = 5;
const levelBounds = { min: 0.02, max: 3 };

/**
 * How far sorted ratios are from each other. The upper half bounds it: two of eight events that stop together are no
 * scatter in which both may hide.
 */
function measureScatter(ratios: readonly number[]): number {
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => Math.log(readQuantile(ratios, share)));
  const [whole, upper] = [(high ?? 0) - (low ?? 0), (high ?? 0) - (middle ?? 0)];
  return Math.min(whole, upperBound * upper) / quartileDistance;
}

/** Measures how much of the weeks before the events of a source have now. Undefined for too few of them. */
export function measureLevel(
  series: readonly Pick<EventSeries, 'totals'>[],
  middles: readonly WeekMiddle[],
  length: number,
): SourceLevel | undefined {
  const ratios: number[] = [];
  const steady: number[] = [];
  for (const [index, { totals }] of series.entries()) {
    const middle = middles[index]?.middle ?? 0;
    if (middle < minMiddle) continue;
    const ratio = (sumWindow(totals, length, 0) + 1) / (middle + 1);
    ratios.push(ratio);
    if (middle >= minSteady) steady.push(ratio);
  }
  if (ratios.length < minEvents) return undefined;
  ratios.sort((a, b) => a - b);
  const scattered = steady.length < minSteadyEvents ? ratios : steady.sort((a, b) => a - b);
  const level = Math.min(levelBounds.max, Math.max(levelBounds.min, readQuantile(ratios, 0.5)));
  return { level, scatter: measureScatter(scattered) };
}
