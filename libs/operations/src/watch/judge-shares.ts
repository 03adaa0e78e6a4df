import { type HourTotals, hoursPerWeek, readQuantile, sumWindow, weeksBefore } from './series.js';

/** A part of all, by the hour: refused messages of all, or devices with a wrong clock of all. */
export interface ShareSeries {
  readonly source: string;
  /** Empty for all of the source. */
  readonly event: string;
  readonly kind: 'refused' | 'clock';
  readonly parts: HourTotals;
  readonly wholes: HourTotals;
}

/** A share that rose above all that its history had. */
export interface ShareFinding {
  readonly source: string;
  readonly event: string;
  readonly kind: ShareSeries['kind'];
  /** Share in the judged hours, from 0 to 1. */
  readonly share: number;
  /** The highest share of hours in the weeks before, without the highest twentieth. */
  readonly expectedShare: number;
  readonly parts: number;
  readonly wholes: number;
}

/** Hours in a row that show it: one bad hour, or one bad client, is not a change. */
export const shareHours = 2;
/** An hour with fewer says nothing. */
const minWhole = 50;
const minPart = 20;
/** Hours of history that are needed: a week of nights and days. */
const minHistory = hoursPerWeek;
/** A share rose if it is this many times the expected one, and this much above it. */
const rise = { factor: 2, points: 0.05 };
/** It is well again when it is near to the expected one. */
const well = { factor: 1.3, points: 0.02 };

/** Judges a share of the last hours: a finding, whether it is well, or that its history says too little. */
export function judgeShare({
  source,
  event,
  kind,
  parts,
  wholes,
}: ShareSeries): ShareFinding | 'well' | 'unclear' | 'unknown' {
  const shares: number[] = [];
  const oldest = Math.min(wholes.length - 1, weeksBefore * hoursPerWeek);
  for (let hoursAgo = shareHours; hoursAgo < oldest; hoursAgo++) {
    const whole = sumWindow(wholes, 1, hoursAgo);
    if (whole >= minWhole) shares.push(sumWindow(parts, 1, hoursAgo) / whole);
  }
  if (shares.length < minHistory) return 'unknown';
  shares.sort((a, b) => a - b);
  const expectedShare = readQuantile(shares, 0.95);
  const hours = Array.from({ length: shareHours }, (_, hoursAgo) => ({
    part: sumWindow(parts, 1, hoursAgo),
    whole: sumWindow(wholes, 1, hoursAgo),
  }));
  const isAbove = ({ part, whole }: { part: number; whole: number }, { factor, points }: typeof rise): boolean =>
    part / whole > Math.max(expectedShare * factor, expectedShare + points);
  if (hours.some(({ whole }) => whole < minWhole)) return 'unclear';
  if (hours.every((hour) => !isAbove(hour, well))) return 'well';
  if (!hours.every((hour) => hour.part >= minPart && isAbove(hour, rise))) return 'unclear';
  const [part, whole] = [sumWindow(parts, shareHours, 0), sumWindow(wholes, shareHours, 0)];
  return { source, event, kind, share: part / whole, expectedShare, parts: part, wholes: whole };
}
