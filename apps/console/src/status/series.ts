import { Injectable } from '@nestjs/common';
import { quoteText, toClickHouseTime } from '@sluice/clickhouse';
import { type Series, type Servers } from '@sluice/console-api';
import { acceptedDestinations } from '@sluice/operations';
import { type Range } from '../http/range.js';
import { ServerWatch } from '../servers/servers.js';
import { Tables } from '../servers/tables.js';
import { type CurrentUser } from '../session/current-user.js';

/** Lengths of steps, seconds. The shortest is the step in which gateways count accepted messages. */
const steps = [5, 10, 30, 60, 300, 900, 3_600, 6 * 3_600, 24 * 3_600];
const maxPoints = 180;
const tables = acceptedDestinations.map(({ table }) => table);

/** Seconds of gateways' counts: the newest are read by it, so that a step which has not ended counts what is known of it. */
const countSeconds = 5;
/** Length of the end of a range that is read in the steps of counts, seconds. */
const tailSeconds = 60;

/**
 * SQL for the messages of all kinds that were accepted and stored, and refused requests, by step. Gateways count what
 * they accept; rows by their arrival are read too, for gateways that do not count yet, and where a killed one lost its
 * last counts. No alias has the name of a column: in ClickHouse it would take the place of the column in WHERE.
 */
const buildCountsQuery = (source: string, isOfRefused: boolean): string => {
  const ofSource = source === '' ? '' : ' AND source_id = {source:String}';
  const within = (column: string): string => `${column} >= {from:DateTime64(3)} AND ${column} < {to:DateTime64(3)}`;
  const rows = (isOfRefused ? [] : tables).flatMap((table) => [
    `SELECT toUnixTimestamp(received_at) AS second, 'received' AS what, count() AS rows FROM ${table}
       WHERE stored_at >= {from:DateTime64(3)} AND ${within('received_at')}${ofSource} GROUP BY second`,
    `SELECT toUnixTimestamp(stored_at) AS second, 'stored' AS what, count() AS rows FROM ${table}
       WHERE ${within('stored_at')}${ofSource} GROUP BY second`,
  ]);
  const countedQuery = `SELECT toUnixTimestamp(received_at) AS second, toString(counted) AS what, sum(requests) AS rows FROM refused_requests
       WHERE kind = 'count' AND counted IN ('refused', 'accepted') AND ${within('received_at')}${ofSource} GROUP BY second, counted`;
  const heard = `SELECT toUnixTimestamp(received_at) AS second, 'heard' AS what, count() AS rows FROM refused_requests
       WHERE kind = 'count' AND counted = 'accepted' AND source_id = '' AND ${within('received_at')} GROUP BY second`;
  return `SELECT if(second >= {tail:UInt32}, intDiv(second, ${countSeconds}) * ${countSeconds}, intDiv(second, {step:UInt32}) * {step:UInt32}) AS time, what, sum(rows) AS rows, max(second) AS newest FROM (
     ${[...rows, countedQuery, heard].join('\n     UNION ALL ')}
   ) GROUP BY time, what ORDER BY time`;
};

type What = 'received' | 'stored' | 'refused' | 'accepted' | 'heard';
interface Row {
  time: string;
  what: What;
  rows: string;
  newest: number;
}

/** Reads what came, was stored and was refused, over time. */
@Injectable()
export class SeriesReader {
  constructor(
    private readonly tables: Tables,
    private readonly watch: ServerWatch,
  ) {}

  read(user: CurrentUser, range: Range, source = ''): Promise<{ series: Series; sql: string }> {
    return this.readLines(user, range, source, buildCountsQuery(source, false));
  }

  /** Reads refused requests only, without the tables of messages. */
  refused(user: CurrentUser, range: Range, source = ''): Promise<{ series: Series; sql: string }> {
    return this.readLines(user, range, source, buildCountsQuery(source, true));
  }

  private async readLines(
    user: CurrentUser,
    range: Range,
    source: string,
    query: string,
  ): Promise<{ series: Series; sql: string }> {
    const { from, to } = range;
    const seconds = (to.getTime() - from.getTime()) / 1_000;
    const stepSeconds = steps.find((step) => seconds / step <= maxPoints) ?? 24 * 3_600;
    const tail = floorTo(countSeconds, to.getTime() / 1_000 - tailSeconds);
    const parameters = { from: toClickHouseTime(from), to: toClickHouseTime(to), step: stepSeconds, tail, source };
    const rows = await this.tables.select<Row>(user, query, parameters);
    const first = Math.floor(from.getTime() / 1_000 / stepSeconds) * stepSeconds;
    const count = Math.ceil((to.getTime() / 1_000 - first) / stepSeconds);
    const times = Array.from({ length: count }, (_, i) => first + i * stepSeconds);
    const knownTimes = knownUntil(rows, range, this.watch.current);
    const lines = { times, stepSeconds, range };
    const ofKind = (kind: What, until: Date): ReadonlyMap<number, number> =>
      sumSteps(rows, { kind, stepSeconds, until });
    const received = ofKind('received', knownTimes.accepted);
    const accepted = ofKind('accepted', knownTimes.accepted);
    const heard = ofKind('heard', knownTimes.accepted);
    const larger = new Map(times.map((time) => [time, Math.max(received.get(time) ?? 0, accepted.get(time) ?? 0)]));
    const firstHeard = Math.min(...heard.keys());
    // Where gateways were heard before, a step in which none was heard is not known to be empty.
    const isSilent = (time: number): boolean => time > firstHeard && !heard.has(time) && larger.get(time) === 0;
    const series = {
      times,
      stepSeconds,
      accepted: line(larger, { ...lines, until: knownTimes.accepted, isUnknown: isSilent }),
      stored: line(ofKind('stored', knownTimes.stored), { ...lines, until: knownTimes.stored }),
      refused: line(ofKind('refused', knownTimes.refused), {
        ...lines,
        until: knownTimes.refused,
        isUnknown: isSilent,
      }),
      knownUntil: {
        accepted: knownTimes.accepted.toISOString(),
        stored: knownTimes.stored.toISOString(),
        refused: knownTimes.refused.toISOString(),
      },
      outages: this.watch.outagesIn(range),
    };
    return { series, sql: withValues(query, parameters) };
  }
}

/** Numbers of a kind by step. What came after the time up to which the line is known would raise its last rate. */
function sumSteps(
  rows: readonly Row[],
  { kind, stepSeconds, until }: { kind: What; stepSeconds: number; until: Date },
): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  for (const row of rows) {
    if (row.what !== kind || Number(row.time) * 1_000 >= until.getTime()) continue;
    const step = floorTo(stepSeconds, Number(row.time));
    sums.set(step, (sums.get(step) ?? 0) + Number(row.rows));
  }
  return sums;
}

const floorTo = (step: number, seconds: number): number => Math.floor(seconds / step) * step;

interface Line {
  times: readonly number[];
  stepSeconds: number;
  range: Range;
  until: Date;
  isUnknown?: (time: number) => boolean;
}

/** Numbers per second; null for a step that is not known. Less than a second of a step says nothing about its rate. */
function line(
  counts: ReadonlyMap<number, number>,
  { times, stepSeconds, range, until, isUnknown }: Line,
): (number | null)[] {
  return times.map((time) => {
    if ((time + 1) * 1_000 > until.getTime() || isUnknown?.(time)) return null;
    return (counts.get(time) ?? 0) / measureSpan(time, stepSeconds, { from: range.from, to: until });
  });
}

/** Rows are stored a moment after they came. */
const storedWithinMs = 5_000;

/**
 * Time up to which each line is known. Counts arrive in the same way as events: while that stands still, the newest
 * count shows where the line ends.
 */
export function knownUntil(
  rows: readonly Pick<Row, 'what' | 'newest'>[],
  { from, to }: Range,
  { kafka, clickhouse }: Servers,
  now = Date.now(),
): Record<'accepted' | 'stored' | 'refused', Date> {
  const within = (ms: number): Date =>
    new Date(Math.max(from.getTime(), Math.min(to.getTime(), floorTo(countSeconds, ms / 1_000) * 1_000)));
  const unreachable = [kafka, clickhouse].flatMap(({ since }) => (since === null ? [] : [Date.parse(since)]));
  const storedUntil = clickhouse.since === null ? now - storedWithinMs : Date.parse(clickhouse.since);
  const heard = rows.filter(({ what: kind }) => kind === 'heard').map(({ newest }) => (newest + countSeconds) * 1_000);
  const latest = Math.min(now - storedWithinMs, ...unreachable);
  const newestHeard = Math.max(...heard);
  const countedUntil = heard.length === 0 ? latest : Math.min(latest, newestHeard);
  return {
    accepted: within(countedUntil),
    stored: within(Math.min(storedUntil, now - storedWithinMs)),
    refused: within(countedUntil),
  };
}

/** Seconds of a step that are within the range. */
export function measureSpan(start: number, stepSeconds: number, { from, to }: Range): number {
  const begin = Math.max(start, from.getTime() / 1_000);
  return Math.max(1, Math.min(start + stepSeconds, to.getTime() / 1_000) - begin);
}

/** Numbers per step from numbers per second; null for a step that is not known, which is not 0. */
export const perStep = (
  perSecond: Series['refused'],
  { times, stepSeconds, range }: { times: readonly number[]; stepSeconds: number; range: Range },
): (number | null)[] =>
  perSecond.map((value, i) =>
    value === null ? null : Math.round(value * measureSpan(times[i] ?? 0, stepSeconds, range)),
  );

/** A query to paste, with its parameters filled in. */
export function withValues(query: string, parameters: Record<string, string | number>): string {
  return query.replace(/\{(\w+):([^}]+)\}/g, (_, name: string, type: string) => {
    const value = String(parameters[name] ?? '');
    if (type.startsWith('UInt')) return value;
    return type.startsWith('DateTime64') ? `toDateTime64(${quoteText(value)}, 3, 'UTC')` : quoteText(value);
  });
}
