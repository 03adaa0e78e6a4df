import { Readable } from 'node:stream';
import { type ClickHouseClient, ClickHouseError, type ClickHouseSettings } from '@clickhouse/client';
import { FinalError } from '@sluice/contracts';
import { isTraced, SpanKind, withinSpan } from '@sluice/service';
import { type ClickHouseConfig } from './config.js';
import { contentErrors } from './content-errors.js';
import { encodeRows, type Row, type RowBlock } from './encode-rows.js';
import { InsertError } from './insert-error.js';
import { type InsertMetrics } from './insert-metrics.js';
import { refillView } from './refill-view.js';
import { type LookUp, lookUpIn, lookUpOnCluster } from './look-up.js';
import { withoutRepeats } from './repeats.js';
import { missingRows } from './stored-rows.js';

/** An INSERT ends by itself before its sender gives up on it. */
const insertTimeoutSeconds = 110;

// Design §5: what was sent is what is stored, and one INSERT is one chunk that is stored whole or not at all.
const insertSettings: ClickHouseSettings = {
  async_insert: 0,
  wait_end_of_query: 1,
  insert_deduplicate: 1,
  // Copies of a row within a block are merged with all others; looking for them row by row took a third of an INSERT.
  optimize_on_insert: 0,
  deduplicate_blocks_in_dependent_materialized_views: 1,
  max_execution_time: insertTimeoutSeconds,
  date_time_input_format: 'best_effort',
  input_format_try_infer_dates: 0,
  input_format_try_infer_datetimes: 0,
  // Arrays of several types stay what they are, [true, "x"] and [true, 1] too.
  input_format_json_infer_array_of_dynamic_from_array_of_different_types: 1,
  input_format_json_read_bools_as_strings: 0,
  input_format_json_read_bools_as_numbers: 0,
  input_format_json_read_numbers_as_strings: 0,
  type_json_skip_duplicated_paths: 1,
  input_format_parallel_parsing: 0,
  max_insert_block_size: '1048576',
  min_insert_block_size_rows: '1048576',
  min_insert_block_size_bytes: String(512 * 1024 * 1024),
};

/** An INSERT is answered when most replicas have its rows; INSERTs do not wait for each other. */
const quorumSettings: ClickHouseSettings = {
  insert_quorum: 'auto',
  insert_quorum_parallel: 1,
  insert_quorum_timeout: 60_000,
};

/** A block for a table that only appends. */
export interface AppendedBlock extends RowBlock {
  /** The table may hold some of it already. */
  readonly replay: boolean;
  /** Those of the rows that are stored only if the table has no row of their message yet. */
  readonly possibleRepeats: readonly Row[];
}

/** Stores blocks of finished rows. */
export class BlockWriter {
  private readonly settings: ClickHouseSettings;
  private readonly lookUp: LookUp;
  private readonly isOnCluster: boolean;

  constructor(
    private readonly client: ClickHouseClient,
    { CLICKHOUSE_CLUSTER, CLICKHOUSE_DURABILITY }: Partial<ClickHouseConfig> = {},
    private readonly metrics?: InsertMetrics,
  ) {
    this.settings = CLICKHOUSE_DURABILITY === 'quorum' ? { ...insertSettings, ...quorumSettings } : insertSettings;
    this.isOnCluster = CLICKHOUSE_CLUSTER !== undefined;
    this.lookUp = this.isOnCluster ? lookUpOnCluster(client) : lookUpIn(client);
  }

  /**
   * Stores a block in one INSERT under its id; the same id again changes nothing for as long as ClickHouse remembers
   * it. For tables whose engine merges copies of a row.
   * @throws FinalError when ClickHouse refuses the rows themselves; any other error is worth a retry.
   */
  async insert(table: string, block: RowBlock): Promise<void> {
    if (block.rows.length === 0) return;
    if (!isTraced()) return this.send(table, block);
    const attributes = { 'db.system.name': 'clickhouse', 'sluice.rows': block.rows.length, 'sluice.block': block.id };
    return withinSpan(
      `insert ${table}`,
      () => ({ kind: SpanKind.CLIENT, attributes }),
      () => this.send(table, block),
    );
  }

  private async send(table: string, { id, partition, rows }: RowBlock): Promise<void> {
    const startedAt = performance.now();
    let bytes = 0;
    const pieces = counting(encodeRows({ id, partition, rows }), (length) => (bytes += length));
    try {
      const { stream } = await this.client.exec({
        query: `INSERT INTO ${table} FORMAT JSONEachRow`,
        values: Readable.from(pieces, { objectMode: false }),
        clickhouse_settings: { ...this.settings, insert_deduplication_token: id },
      });
      await answered(stream);
      this.metrics?.inserted(table, { rows: rows.length, bytes, tookMs: performance.now() - startedAt });
    } catch (error) {
      const isContent = error instanceof ClickHouseError && contentErrors.has(error.code);
      this.metrics?.failed(table, error, isContent ? 'content' : 'server');
      if (!(error instanceof ClickHouseError)) throw error;
      if (!isContent) throw new InsertError(error);
      throw new FinalError(`ClickHouse refused the row: ${error.type ?? error.code}`, {
        cause: error,
        at: rows[refusedRow(error)]?.offset,
      });
    }
  }

  /**
   * As `insert`, for a table that only appends: of a replay only the rows that are missing are stored, under the same
   * id, and of possible repeats those whose message is new. Resolves with how many rows of a replay were held before.
   */
  async append(table: string, block: AppendedBlock): Promise<number> {
    const { id, partition, replay, possibleRepeats } = block;
    const missing = replay ? await missingRows(this.lookUp, table, block) : block.rows;
    const rows = await withoutRepeats(this.lookUp, table, missing, possibleRepeats);
    await this.insert(table, { id, partition, rows });
    return block.rows.length - missing.length;
  }

  /** `append` to a table with a materialized view into a target that merges copies: neither can have it alone. */
  async appendWithView(table: string, view: { name: string; target: string }, block: AppendedBlock): Promise<void> {
    const held = await this.append(table, block);
    if (held > 0) await refillView(this.client, { source: table, ...view, isOnCluster: this.isOnCluster }, block);
  }

  /** @throws when ClickHouse does not answer. */
  async ping(): Promise<void> {
    const result = await this.client.ping();
    if (!result.success) throw result.error;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

/** The pieces as they are, each of which is counted when it is asked for. */
function* counting(pieces: Iterable<Buffer>, count: (length: number) => void): Generator<Buffer> {
  for (const piece of pieces) {
    count(piece.length);
    yield piece;
  }
}

/**
 * Reads the answer to its end. An INSERT is answered with nothing; ClickHouse that fails after it has sent "200" writes
 * the exception into the body.
 */
async function answered(body: Readable): Promise<void> {
  let text = '';
  for await (const chunk of body) if (text.length < 1_000) text += String(chunk);
  if (text.trim() === '') return;
  throw new Error(`ClickHouse answered an INSERT with ${/\bCode: \d+/.exec(text)?.[0] ?? 'something'}`);
}

/** Which row ClickHouse says it could not read, from 0; -1 when it does not say. Only a hint where to cut the block. */
const refusedRow = ({ message }: ClickHouseError): number => Number(/\(at row (\d+)\)/.exec(message)?.[1] ?? 0) - 1;
