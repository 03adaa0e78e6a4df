import { BoundedLabel, errorCode, Counter, Gauge, Histogram, type Registry } from '@sluice/service';

const labelNames = ['table'] as const;
const maxCodes = 40;
const maxViewNames = 40;

/** Counts the INSERTs of one server or shard. */
export interface CountsInserts {
  inserted(table: string, insert: { rows: number; bytes: number; tookMs: number }): void;
  failed(table: string, error: unknown, kind: 'server' | 'content'): void;
  /** Says that a view of others on the table fails with an error, or no longer does. */
  viewFails(table: string, failure: { view: string; code: string }, isFailing: boolean): void;
}

/** Metrics of INSERTs. */
export class InsertMetrics implements CountsInserts {
  private readonly codes = new BoundedLabel(maxCodes);
  private readonly viewNames = new BoundedLabel(maxViewNames);
  private readonly took: Histogram<'table'>;
  private readonly rows: Counter<'table'>;
  private readonly bytes: Counter<'table'>;
  private readonly failures: Counter<'table' | 'code' | 'kind' | 'shard'>;
  private readonly foreignViews: Gauge<'table' | 'view' | 'code' | 'shard'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.took = new Histogram({
      name: 'sluice_clickhouse_insert_duration_seconds',
      help: 'Time of an acknowledged INSERT',
      labelNames,
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120],
      registers,
    });
    this.rows = new Counter({
      name: 'sluice_clickhouse_inserted_rows_total',
      help: 'Rows of acknowledged INSERTs; those that ClickHouse drops as a repeat of a block count again',
      labelNames,
      registers,
    });
    this.bytes = new Counter({
      name: 'sluice_clickhouse_inserted_bytes_total',
      help: 'Bytes of those rows as JSON, with their places in Kafka',
      labelNames,
      registers,
    });
    this.failures = new Counter({
      name: 'sluice_clickhouse_insert_failures_total',
      help: 'INSERTs that failed, by the error of ClickHouse or of the connection; kind: server, or content when the rows were refused; shard: only where there are several',
      labelNames: ['table', 'code', 'kind', 'shard'],
      registers,
    });
    this.foreignViews = new Gauge({
      name: 'sluice_clickhouse_foreign_view_failing',
      help: 'Materialized views of others on a table of Sluice that fail in INSERTs, 1 each; their errors are ignored. code: the error of ClickHouse, or SLOW when INSERTs take over 4 s; shard: only where there are several',
      labelNames: ['table', 'view', 'code', 'shard'],
      registers,
    });
  }

  inserted(table: string, { rows, bytes, tookMs }: { rows: number; bytes: number; tookMs: number }): void {
    this.took.observe({ table }, tookMs / 1_000);
    this.rows.inc({ table }, rows);
    this.bytes.inc({ table }, bytes);
  }

  failed(table: string, error: unknown, kind: 'server' | 'content', shard?: string): void {
    this.failures.inc({
      table,
      code: this.codes.labelFor(errorCode(error)),
      kind,
      ...(shard !== undefined && { shard }),
    });
  }

  viewFails(table: string, failure: { view: string; code: string }, isFailing: boolean, shard?: string): void {
    const view = this.viewNames.labelFor(failure.view);
    const labels = { table, view, code: this.codes.labelFor(failure.code), ...(shard !== undefined && { shard }) };
    if (isFailing) this.foreignViews.set(labels, 1);
    else this.foreignViews.remove(labels);
  }

  /** Counts the INSERTs of a shard; the failures name the shard. */
  ofShard(shard: string): CountsInserts {
    return {
      inserted: this.inserted.bind(this),
      failed: (table, error, kind) => this.failed(table, error, kind, shard),
      viewFails: (table, failure, isFailing) => this.viewFails(table, failure, isFailing, shard),
    };
  }
}
