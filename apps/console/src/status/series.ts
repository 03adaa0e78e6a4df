import { Injectable } from '@nestjs/common';
import { type Series } from '@sluice/console-api';
import { type Range } from '../http/read.js';
import { Tables, timeParameter } from '../servers/tables.js';
import { type CurrentUser } from '../session/current-user.js';

const steps = [1, 5, 10, 30, 60, 300, 900, 3_600, 6 * 3_600, 24 * 3_600];
const mostPoints = 180;
const tables = ['events', 'identifies'];

/**
 * Rows by the second in which they came, and in which they were stored; refused requests beside them. No alias has the
 * name of a column: in ClickHouse it would take the place of the column in WHERE.
 */
const countsOf = (source: string): string => {
  const ofSource = source === '' ? '' : ' AND source_id = {source:String}';
  const rows = tables.flatMap((table) => [
    `SELECT toUnixTimestamp(received_at) AS second, 'accepted' AS what, count() AS rows FROM ${table}
       WHERE stored_at >= {from:DateTime64(3)} AND received_at >= {from:DateTime64(3)} AND received_at < {settled:DateTime64(3)}${ofSource} GROUP BY second`,
    `SELECT toUnixTimestamp(stored_at) AS second, 'stored' AS what, count() AS rows FROM ${table}
       WHERE stored_at >= {from:DateTime64(3)} AND stored_at < {settled:DateTime64(3)}${ofSource} GROUP BY second`,
  ]);
  const refused = `SELECT toUnixTimestamp(received_at) AS second, 'refused' AS what, sum(requests) AS rows FROM refused_requests
       WHERE kind = 'count' AND counted = 'refused' AND received_at >= {from:DateTime64(3)} AND received_at < {to:DateTime64(3)}${ofSource} GROUP BY second`;
  return `SELECT intDiv(second, {step:UInt32}) * {step:UInt32} AS time, what, sum(rows) AS rows FROM (
     ${[...rows, refused].join('\n     UNION ALL ')}
   ) GROUP BY time, what ORDER BY time`;
};

/** Reads what came, was stored and was refused, over time. */
@Injectable()
export class SeriesReader {
  constructor(private readonly tables: Tables) {}

  async read(user: CurrentUser, range: Range, source = ''): Promise<{ series: Series; sql: string }> {
    const { from, to } = range;
    const settled = settledBy(range);
    const seconds = (to.getTime() - from.getTime()) / 1_000;
    const stepSeconds = steps.find((step) => seconds / step <= mostPoints) ?? 24 * 3_600;
    const query = countsOf(source);
    const parameters = {
      ...{ from: timeParameter(from), to: timeParameter(to), settled: timeParameter(settled) },
      ...{ step: stepSeconds, source },
    };
    const rows = await this.tables.select<{ time: string; what: Kind; rows: string }>(user, query, parameters);
    const first = Math.floor(from.getTime() / 1_000 / stepSeconds) * stepSeconds;
    const count = Math.ceil((to.getTime() / 1_000 - first) / stepSeconds);
    const times = Array.from({ length: count }, (_, i) => first + i * stepSeconds);
    const until = { accepted: settled, stored: settled, refused: to };
    // Less than a second of a step says nothing about its rate.
    const none = times.map((time) => ((time + 1) * 1_000 <= settled.getTime() ? 0 : null));
    const values: Record<Kind, (number | null)[]> = { accepted: none, stored: [...none], refused: times.map(() => 0) };
    for (const row of rows) {
      const at = (Number(row.time) - first) / stepSeconds;
      if (values[row.what][at] !== 0) continue;
      values[row.what][at] = Number(row.rows) / spanOf(Number(row.time), stepSeconds, { from, to: until[row.what] });
    }
    return { series: { times, stepSeconds, ...values }, sql: withValues(query, parameters) };
  }
}

/** Rows are stored a moment after they came: the end of a line that reaches until now would look like a fall. */
const storedWithinMs = 5_000;
const settledBy = ({ from, to }: Range): Date =>
  new Date(Math.max(from.getTime(), Math.min(to.getTime(), Date.now() - storedWithinMs)));

/** Seconds of a step that are within the range. */
export function spanOf(start: number, stepSeconds: number, { from, to }: Range): number {
  const begin = Math.max(start, from.getTime() / 1_000);
  return Math.max(1, Math.min(start + stepSeconds, to.getTime() / 1_000) - begin);
}

type Kind = 'accepted' | 'stored' | 'refused';

/** A query to paste, with its parameters filled in. */
export function withValues(query: string, parameters: Record<string, string | number>): string {
  return query.replace(/\{(\w+):([^}]+)\}/g, (_, name: string, type: string) => {
    const value = String(parameters[name] ?? '')
      .replaceAll('\\', '\\\\')
      .replaceAll("'", "\\'");
    return type.startsWith('UInt')
      ? value
      : type.startsWith('DateTime64')
        ? `toDateTime64('${value}', 3, 'UTC')`
        : `'${value}'`;
  });
}
