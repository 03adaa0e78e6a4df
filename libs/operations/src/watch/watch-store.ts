import { type ChangeKind } from '@sluice/console-api';
import { type ClickHouseConfig, createClickHouse } from '@sluice/clickhouse';
import { changeKey, type EventChange, hourMs } from './changes.js';
import { type DimensionCount } from './explain-change.js';
import { type PropertyHour, type PropertySeries } from './judge-properties.js';
import { type ShareSeries } from './judge-shares.js';
import { addUpHours, type EventSeries, neededHours } from './series.js';
import {
  countEvents,
  countOpenChanges,
  countProperties,
  countSources,
  selectEventHours,
  selectLateHours,
  selectOpenChanges,
  selectPropertyHours,
  selectRefusedHours,
  selectSourceHours,
  selectValues,
} from './watch-queries.js';

/** Bounds of each statement: one thread, so that INSERTs and people keep the others. */
const limits = {
  max_threads: 1,
  max_insert_threads: '1',
  max_execution_time: 300,
  max_memory_usage: '2000000000',
  // Counting an hour again may give the same rows.
  insert_deduplicate: 0,
  optimize_on_insert: 0,
  log_comment: 'watch',
} as const;
const timeLimitMs = 310_000;

/** A span of time, milliseconds since 1970, without its end. */
export interface TimeSpan {
  readonly from: number;
  readonly until: number;
}

interface ClaimedRun {
  readonly runner: string;
  readonly isDone: boolean;
  readonly ageSeconds: number;
}

/** The tables of the watch on one server. All statements run with one thread and end in five minutes. */
export class WatchStore {
  private readonly client: ReturnType<typeof createClickHouse>;

  constructor(config: ClickHouseConfig) {
    this.client = createClickHouse(config, config.CLICKHOUSE_DATABASE, limits, timeLimitMs);
  }

  close(): Promise<void> {
    return this.client.close();
  }

  /** Beginning of the last hour that a run has done, and when that run began; undefined without one. */
  async readLastRun(): Promise<{ hour: number; claimed: number } | undefined> {
    const [run] = await this.select<{ hour: number; claimed: number }>(
      `SELECT toUnixTimestamp(hour) * 1000 AS hour, toFloat64(toUnixTimestamp64Milli(claimed)) AS claimed
       FROM watch_runs FINAL WHERE is_done ORDER BY watch_runs.hour DESC, stored_at DESC LIMIT 1`,
    );
    return run;
  }

  /** Claims the run of an hour. False if another process has it, or has done it. */
  async claimRun(hour: number, runner: string): Promise<boolean> {
    const query = `SELECT runner, is_done AS isDone, toFloat64(dateDiff('second', claimed, now64(3))) AS ageSeconds FROM watch_runs FINAL
      WHERE hour = toDateTime({hour:Int64} / 1000, 'UTC') ORDER BY claimed, runner`;
    const otherClaims = (await this.select<ClaimedRun>(query, { hour })).filter((run) => run.runner !== runner);
    if (otherClaims.some(isValidClaim)) return false;
    await this.writeClaim(hour, runner);
    // Two that claim at once both read both claims, and agree on the first.
    const [first] = (await this.select<ClaimedRun>(query, { hour })).filter(isValidClaim);
    return first?.runner === runner;
  }

  /** Claims the run of an hour, whoever else has it. */
  async writeClaim(hour: number, runner: string): Promise<void> {
    await this.command(
      `INSERT INTO watch_runs (hour, runner, claimed) SELECT toDateTime({hour:Int64} / 1000, 'UTC'), {runner:String}, now64(3)`,
      { hour, runner },
    );
  }

  async finishRun(
    hour: number,
    runner: string,
    numbers: { tookMs: number; judged: number; unknown: number },
  ): Promise<void> {
    await this.command(
      `INSERT INTO watch_runs (hour, runner, claimed, is_done, took_ms, judged, unknown)
       SELECT hour, runner, claimed, true, {tookMs:UInt32}, {judged:UInt32}, {unknown:UInt32} FROM watch_runs FINAL
       WHERE hour = toDateTime({hour:Int64} / 1000, 'UTC') AND runner = {runner:String}`,
      { hour, runner, ...numbers },
    );
  }

  /** Counts messages, refusals and devices of some hours. Counting them again changes nothing. */
  async countHours(span: TimeSpan): Promise<void> {
    await this.command(countEvents, { ...span });
    await this.command(countSources, { ...span });
  }

  /** Counts the types of properties in one hour, whose messages are counted. */
  async countProperties(hour: number): Promise<void> {
    await this.command(countProperties, { from: hour, until: hour + hourMs });
  }

  /** Earlier hours of which rows were stored since a time. */
  async readLateHours(storedSince: number, span: TimeSpan): Promise<number[]> {
    const rows = await this.select<{ hour: number }>(selectLateHours, { storedSince, ...span });
    return rows.map(({ hour }) => hour);
  }

  /** All events up to the end of an hour. */
  async readEvents(hourEnd: number): Promise<EventSeries[]> {
    const rows = await this.select<{ source: string; event: string; hours: number[]; counts: number[] }>(
      selectEventHours,
      historyUntil(hourEnd),
    );
    return rows.map(({ source, event, hours, counts }) => ({ source, event, totals: spreadHours(hours, counts) }));
  }

  async readShares(hourEnd: number): Promise<ShareSeries[]> {
    const rows = await this.select<
      { source: string; hours: number[] } & Record<'messages' | 'refused' | 'devices' | 'wrongClocks', number[]>
    >(selectSourceHours, historyUntil(hourEnd));
    return rows.flatMap(({ source, hours, messages, refused, devices, wrongClocks }): ShareSeries[] => {
      const place = { source, event: '' };
      const all = addCounts(messages, refused);
      return [
        { ...place, kind: 'refused', parts: spreadHours(hours, refused), wholes: spreadHours(hours, all) },
        { ...place, kind: 'clock', parts: spreadHours(hours, wrongClocks), wholes: spreadHours(hours, devices) },
      ];
    });
  }

  /** Shares of refused messages, of the events that have any. */
  async readRefusedEvents(hourEnd: number): Promise<ShareSeries[]> {
    const rows = await this.select<
      { source: string; event: string; hours: number[] } & Record<'messages' | 'refused', number[]>
    >(selectRefusedHours, historyUntil(hourEnd));
    return rows.map(({ source, event, hours, messages, refused }) => ({
      ...{ source, event, kind: 'refused' as const },
      ...{ parts: spreadHours(hours, refused), wholes: spreadHours(hours, addCounts(messages, refused)) },
    }));
  }

  /** All properties of an hour, with those of other hours. */
  async readProperties(hour: number, hoursBefore: readonly number[]): Promise<PropertySeries[]> {
    const rows = await this.select<PropertyRow>(selectPropertyHours, { hours: [hour, ...hoursBefore] });
    return joinPropertyHours(rows, hour);
  }

  /** Open changes, by `changeKey`. */
  async readOpenChanges(): Promise<Map<string, EventChange>> {
    const rows = await this.select<Omit<EventChange, 'ended'>>(selectOpenChanges);
    return new Map(rows.map((row) => [changeKey(row), { ...row, ended: null }]));
  }

  /** Numbers of open changes that are not muted. */
  async countChanges(): Promise<Map<ChangeKind, number>> {
    const rows = await this.select<{ kind: ChangeKind; changes: number }>(countOpenChanges);
    return new Map(rows.map(({ kind, changes }) => [kind, changes]));
  }

  /** Versions and hosts in the day before a change and since. */
  async readValues(change: EventChange): Promise<DimensionCount[]> {
    const { source, event, property, began, typeBefore } = change;
    const span = { from: began - 24 * hourMs, until: change.found };
    return this.select<DimensionCount>(selectValues, { source, event, property, type: typeBefore, began, ...span });
  }

  async writeChanges(changes: readonly EventChange[]): Promise<void> {
    const rows = changes.map((change) => ({
      source_id: change.source,
      event: change.event,
      kind: change.kind,
      family: change.kind === 'stopped' || change.kind === 'fell' ? 'messages' : change.kind,
      property: change.property,
      began: change.began / 1_000,
      found: change.found / 1_000,
      ended: (change.ended ?? 0) / 1_000,
      observed: change.observed,
      expected_low: change.expectedLow,
      expected_high: change.expectedHigh,
      type_before: change.typeBefore,
      type: change.type,
      since: change.since,
    }));
    if (rows.length > 0) await this.client.insert({ table: 'event_changes', values: rows, format: 'JSONEachRow' });
  }

  private async select<Row>(query: string, query_params: Record<string, unknown> = {}): Promise<Row[]> {
    return (await this.client.query({ query, query_params, format: 'JSONEachRow' })).json<Row>();
  }

  private async command(query: string, query_params: Record<string, unknown>): Promise<void> {
    await this.client.command({ query, query_params });
  }
}

/** A run that is not done after this time has died. */
const maxRunSeconds = 600;
const isValidClaim = ({ isDone, ageSeconds }: ClaimedRun): boolean => isDone || ageSeconds < maxRunSeconds;

const historyUntil = (hourEnd: number): Record<string, unknown> => ({
  from: hourEnd - neededHours * hourMs,
  until: hourEnd,
});

const addCounts = (counts: readonly number[], addends: readonly number[]): number[] =>
  counts.map((count, index) => count + (addends[index] ?? 0));

function spreadHours(hours: readonly number[], counts: readonly number[]): Float64Array {
  const spread = new Float64Array(neededHours);
  for (const [index, hour] of hours.entries()) spread[hour] = counts[index] ?? 0;
  return addUpHours(spread);
}

interface PropertyRow {
  readonly source: string;
  readonly event: string;
  readonly hourTime: number;
  readonly properties: readonly string[];
  readonly types: readonly string[];
  readonly counts: readonly number[];
}

/** The row of an hour without a path says how many messages were looked at. */
function readPropertyHours({ properties, types, counts }: PropertyRow): {
  looked: number;
  byProperty: Map<string, Map<string, number>>;
} {
  let looked = 0;
  const byProperty = new Map<string, Map<string, number>>();
  for (const [index, property] of properties.entries()) {
    const count = counts[index] ?? 0;
    if (property === '') looked = count;
    else
      byProperty.set(property, (byProperty.get(property) ?? new Map<string, number>()).set(types[index] ?? '', count));
  }
  return { looked, byProperty };
}

function joinPropertyHours(rows: readonly PropertyRow[], judgedHour: number): PropertySeries[] {
  const noTypes: ReadonlyMap<string, number> = new Map();
  return [...Map.groupBy(rows, ({ source, event }) => `${source} ${event}`).values()].flatMap((hours) => {
    const [first] = hours;
    const read = hours.map((row) => ({ hour: row.hourTime, ...readPropertyHours(row) }));
    const properties = new Set(read.flatMap(({ byProperty }) => [...byProperty.keys()]));
    const judged = read.find(({ hour }) => hour === judgedHour);
    if (!first || !judged) return [];
    return [...properties].map((property): PropertySeries => {
      const pick = ({ looked, byProperty }: (typeof read)[number]): PropertyHour => ({
        looked,
        types: byProperty.get(property) ?? noTypes,
      });
      const before = read.filter(({ hour }) => hour !== judgedHour).map(pick);
      return { source: first.source, event: first.event, property, judged: pick(judged), before };
    });
  });
}
