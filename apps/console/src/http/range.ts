import { type RangeQuery } from '@sluice/console-api';
import { invalid } from './console-error.js';

/** A range of time; an hour until now by default. */
export interface Range {
  from: Date;
  to: Date;
}

const hourMs = 3_600_000;
const maxDays = 92;

/** Whether a text is a time of ISO 8601. */
export const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT/.test(text) && text.length <= 40 && !Number.isNaN(Date.parse(text));

/** @throws ConsoleError 400 unless the range is positive and at most a quarter of a year. */
export function requirePeriod(query: RangeQuery, fallbackMs = hourMs): Range {
  const to = query.to === undefined ? new Date() : new Date(query.to);
  const from = query.from === undefined ? new Date(to.getTime() - fallbackMs) : new Date(query.from);
  const ms = to.getTime() - from.getTime();
  if (ms <= 0 || ms > maxDays * 24 * hourMs) throw invalid(`from must be before to, by at most ${maxDays} days.`);
  return { from, to };
}
