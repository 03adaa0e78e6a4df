import { type ClickHouseConfig, createClickHouse } from '@sluice/clickhouse';
import {
  selectArrived,
  selectDoubled,
  selectFaults,
  selectProbes,
  selectSeries,
  selectTotals,
} from './canary-queries.js';
import { type ProbeFault, type SeriesTotals, type StoredProbe } from './judge-series.js';

/** Bounds of each statement: one thread, so that INSERTs and people keep the others. */
const limits = {
  max_threads: 1,
  max_execution_time: 30,
  max_memory_usage: '500000000',
  insert_deduplicate: 0,
  date_time_input_format: 'best_effort',
  // A time that a server shows in a zone of its own would be another one.
  session_timezone: 'UTC',
  log_comment: 'canary',
} as const;
const timeLimitMs = 35_000;

/** A probe that was lost or doubled, as its table has it. Times are milliseconds since 1970. */
export interface KnownFault extends ProbeFault {
  readonly series: string;
  readonly found: number;
  /** 0 unless it was lost and arrived after all. */
  readonly arrived: number;
}

/** The tables of the canary on one server. */
export class CanaryStore {
  private readonly client: ReturnType<typeof createClickHouse>;

  constructor(config: ClickHouseConfig) {
    this.client = createClickHouse(config, config.CLICKHOUSE_DATABASE, limits, timeLimitMs);
  }

  close(): Promise<void> {
    return this.client.close();
  }

  async readSeries(storedSince: number): Promise<string[]> {
    const rows = await this.select<{ series: string }>(selectSeries, { storedSince });
    return rows.map(({ series }) => series);
  }

  async readTotals(series: readonly string[]): Promise<Map<string, SeriesTotals>> {
    const rows = await this.select<SeriesTotals>(selectTotals, { series });
    return new Map(rows.map((totals) => [totals.series, totals]));
  }

  /** @param settledMs time that a probe must have been stored for */
  readProbes(series: string, after: number, settledMs: number): Promise<StoredProbe[]> {
    return this.select<StoredProbe>(selectProbes, { series, after, settledMs });
  }

  readDoubled(): Promise<(ProbeFault & { series: string })[]> {
    return this.select(selectDoubled);
  }

  readFaults(): Promise<KnownFault[]> {
    return this.select<KnownFault>(selectFaults);
  }

  async readArrived(faults: readonly KnownFault[]): Promise<Map<string, number>> {
    const [series, numbers] = [[...new Set(faults.map((fault) => fault.series))], faults.map(({ number }) => number)];
    const rows = await this.select<{ series: string; number: number; stored: number }>(selectArrived, {
      series,
      numbers,
    });
    return new Map(rows.map((row) => [nameProbe(row), row.stored]));
  }

  async writeTotals(totals: SeriesTotals): Promise<void> {
    const row = {
      ...{ series: totals.series, judged_up_to: totals.judgedUpTo, accepted: totals.accepted, refused: totals.refused },
      ...{ in_doubt: totals.inDoubt, unjudged: totals.unjudged, latencies: totals.latencies },
      ...{ began: formatMoment(totals.began), last_call: formatMoment(totals.lastCall) },
    };
    await this.client.insert({ table: 'canary_series', values: [row], format: 'JSONEachRow' });
  }

  async writeFaults(faults: readonly KnownFault[]): Promise<void> {
    const rows = faults.map((fault) => ({
      ...{ series: fault.series, number: fault.number, kind: fault.kind, called: formatMoment(fault.called) },
      ...{ found: formatMoment(fault.found), arrived: formatMoment(fault.arrived) },
    }));
    if (rows.length > 0) await this.client.insert({ table: 'canary_faults', values: rows, format: 'JSONEachRow' });
  }

  private async select<Row>(query: string, query_params: Record<string, unknown> = {}): Promise<Row[]> {
    return (await this.client.query({ query, query_params, format: 'JSONEachRow' })).json<Row>();
  }
}

/** Name of a probe among those of all series. */
export const nameProbe = ({ series, number }: { series: string; number: number }): string => `${series} ${number}`;

const formatMoment = (ms: number): string => new Date(ms).toISOString();
