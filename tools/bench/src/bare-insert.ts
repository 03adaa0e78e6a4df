import { Readable } from 'node:stream';
import { type ClickHouseClient, type ClickHouseSettings } from '@clickhouse/client';
import { finishedRow } from './samples.js';

const rowsPerInsert = 50_000;

// The settings of the tracking service (BlockWriter) that change the work of ClickHouse.
const settings: ClickHouseSettings = {
  async_insert: 0,
  optimize_on_insert: 0,
  wait_end_of_query: 1,
  date_time_input_format: 'best_effort',
  input_format_try_infer_dates: 0,
  input_format_try_infer_datetimes: 0,
  type_json_skip_duplicated_paths: 1,
  input_format_parallel_parsing: 0,
  max_insert_block_size: '1048576',
  min_insert_block_size_rows: '1048576',
  min_insert_block_size_bytes: String(512 * 1024 * 1024),
};

/**
 * Inserts the rows `first` to `end` (exclusive) into a table like `events`, block by block. Returns the seconds that
 * took. This is the work of the tracking service without Kafka. `changes` override its settings.
 */
export async function insertBare(
  client: ClickHouseClient,
  [first, end]: readonly [number, number],
  receivedAt: string,
  table = 'events_bare',
  changes: ClickHouseSettings = {},
): Promise<number> {
  await client.command({ query: `CREATE TABLE IF NOT EXISTS ${table} AS events` });
  // Encode all blocks before the first INSERT. Otherwise ClickHouse would merge parts between INSERTs, uncounted.
  const blocks: Buffer[] = [];
  for (let from = first; from < end; from += rowsPerInsert) {
    blocks.push(encode(from, Math.min(from + rowsPerInsert, end), receivedAt));
  }
  const startedAt = performance.now();
  for (const [i, bytes] of blocks.entries()) {
    const { stream } = await client.exec({
      query: `INSERT INTO ${table} FORMAT JSONEachRow`,
      values: Readable.from([bytes], { objectMode: false }),
      clickhouse_settings: { ...settings, insert_deduplication_token: `block ${i} from ${first}`, ...changes },
    });
    stream.resume();
  }
  return (performance.now() - startedAt) / 1000;
}

/** Encodes rows like the tracking service: with their partition and offset in Kafka. */
function encode(from: number, to: number, receivedAt: string): Buffer {
  const lines = Array.from({ length: to - from }, (_, i) =>
    JSON.stringify({
      kafka_partition: i % 12,
      kafka_offset: from + i,
      kafka_timestamp: receivedAt,
      ...finishedRow(from + i, receivedAt),
    }),
  );
  return Buffer.from(lines.join('\n'));
}
