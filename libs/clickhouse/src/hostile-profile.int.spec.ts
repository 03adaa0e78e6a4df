import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasNewerClickHouse, type RunningClickHouse, startClickHouse } from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClickHouse } from './connection/client.js';
import { readMigrations } from './migrations/migration.js';
import { migrate, schemaDifferences } from './migrations/migrations.js';
import { proveRoundTrip } from './round-trip/round-trip.js';
import { type Row } from './rows/encode-rows.js';
import { BlockWriter } from './write/block-writer.js';
import { type AppendedBlock } from './write/table-writer.js';

/**
 * Settings that a company may put into the profile of all users. Each changes how rows are read, stored, found or
 * returned where Sluice does not state its own.
 */
const hostile: Record<string, string | number>[] = [
  // Settings of reading rows.
  { date_time_input_format: 'basic' },
  { input_format_try_infer_integers: 0 },
  { input_format_json_try_infer_numbers_from_strings: 1 },
  { input_format_json_read_bools_as_strings: 1, input_format_json_read_bools_as_numbers: 1 },
  { input_format_json_infer_array_of_dynamic_from_array_of_different_types: 0 },
  { input_format_json_infer_incomplete_types_as_strings: 0 },
  { input_format_try_infer_variants: 1 },
  { input_format_skip_unknown_fields: 0 },
  { input_format_null_as_default: 0 },
  { input_format_defaults_for_omitted_fields: 0 },
  { input_format_import_nested_json: 1 },
  { input_format_json_max_depth: 3 },
  { input_format_json_throw_on_bad_escape_sequence: 0 },
  { input_format_json_ignore_unnecessary_fields: 0 },
  { input_format_json_empty_as_default: 1 },
  { json_type_escape_dots_in_keys: 1 },
  { type_json_allow_duplicated_key_with_literal_and_nested_object: 0 },
  { schema_inference_make_columns_nullable: 0 },
  { date_time_overflow_behavior: 'throw' },
  { max_parser_depth: 10, max_parser_backtracks: 100 },
  // Bad rows, which must be refused one by one and never be skipped.
  { input_format_allow_errors_num: 1000, input_format_allow_errors_ratio: 1 },
  // Settings of storing rows.
  { async_insert: 1, wait_for_async_insert: 0 },
  { async_insert: 1, async_insert_deduplicate: 0 },
  { insert_deduplicate: 0 },
  { deduplicate_insert: 'disable' },
  { deduplicate_blocks_in_dependent_materialized_views: 0 },
  { max_insert_block_size: 2, min_insert_block_size_rows: 1, min_insert_block_size_bytes: 1 },
  { max_insert_block_size_rows: 2, max_insert_block_size_bytes: 10, use_strict_insert_block_limits: 1 },
  { input_format_max_block_size_bytes: 10 },
  { input_format_parallel_parsing: 1, min_chunk_bytes_for_parallel_parsing: 1 },
  { input_format_connection_handling: 1, input_format_max_block_wait_ms: 1 },
  { max_block_size: 1 },
  { max_partitions_per_insert_block: 1 },
  { optimize_on_insert: 1 },
  { materialized_views_ignore_errors: 1 },
  { parallel_view_processing: 1, max_insert_threads: 4 },
  { insert_null_as_default: 0 },
  { insert_allow_materialized_columns: 1 },
  // Settings that decide which rows a look-up finds.
  { final: 1 },
  { limit: 1 },
  { offset: 1 },
  { apply_deleted_mask: 0 },
  { use_query_cache: 1, query_cache_min_query_runs: 0, query_cache_ttl: 600 },
  { use_statistics_for_part_pruning: 1 },
  { force_primary_key: 1 },
  { force_index_by_date: 1 },
  { force_optimize_projection: 1 },
  { optimize_use_projections: 0 },
  { use_skip_indexes: 0 },
  { max_rows_to_read: 2, read_overflow_mode: 'break' },
  { max_rows_to_read: 2 },
  { max_result_rows: 1, result_overflow_mode: 'break' },
  { max_result_rows: 1 },
  { max_rows_in_set: 1, set_overflow_mode: 'break' },
  { max_rows_in_set: 1 },
  { max_rows_in_distinct: 1, distinct_overflow_mode: 'break' },
  { max_execution_time: 1, timeout_overflow_mode: 'break' },
  { transform_null_in: 1 },
  { enable_analyzer: 0 },
  { prefer_column_name_to_alias: 1 },
  { convert_query_to_cnf: 1 },
  { additional_table_filters: "{'events': '0', 'identifies': '0'}" },
  { additional_result_filter: '0' },
  { enable_parallel_replicas: 1, max_parallel_replicas: 3 },
  { allow_introspection_functions: 1, aggregate_functions_null_for_empty: 1 },
  // Settings of answers.
  { output_format_json_quote_64bit_integers: 1 },
  { output_format_json_array_of_rows: 1 },
  { output_format_json_named_tuples_as_objects: 0 },
  { output_format_json_escape_forward_slashes: 0 },
  { output_format_tsv_crlf_end_of_line: 1 },
  { date_time_output_format: 'unix_timestamp' },
  { bool_true_representation: 'yes', bool_false_representation: 'no' },
  { extremes: 1 },
  { http_write_exception_in_output_format: 1 },
  { send_progress_in_http_headers: 1 },
  // All of them.
  { session_timezone: 'Asia/Tehran' },
  { dialect: 'kusto', allow_experimental_kusto_dialect: 1 },
  { compatibility: '23.3' },
  { compatibility: '24.8' },
  { data_type_default_nullable: 1 },
];

/** Settings that a query of the tests themselves cannot do without, or that rule each other out. */
const alone = ['dialect', 'compatibility', 'session_timezone'];
/** All settings at once in a few profiles; HOSTILE_EACH tries each of them alone, which takes minutes. */
function profiles(): Record<string, string | number>[] {
  if (process.env['HOSTILE_EACH'] !== undefined) return hostile;
  const merged: Record<string, string | number>[] = [];
  for (const settings of hostile) {
    const names = Object.keys(settings);
    const isFree = (otherMembers: object): boolean => names.every((name) => !(name in otherMembers));
    const profile = names.some((name) => alone.includes(name)) ? undefined : merged.find(isFree);
    if (profile) Object.assign(profile, settings);
    else merged.push({ ...settings });
  }
  return merged;
}

const database = 'sluice';
const password = 'p';
const userName = (i: number): string => `user_${i}`;
const tried = profiles();
const users = tried.map((profile, i) => ({
  name: userName(i),
  password,
  profile,
  grants: [`GRANT SELECT, INSERT, SHOW ON ${database}.*`],
}));
const title = (settings: object): string => JSON.stringify(settings).replaceAll(/[{}"]/g, '');

const releases = [
  { release: 'npm', isSkipped: false },
  { release: 'newer', isSkipped: !(await hasNewerClickHouse()) },
] as const;

describe.each(releases)('on the ClickHouse of release "$release"', ({ release, isSkipped }) => {
  const when = isSkipped ? it.skip : it;
  let folder: string;
  let server: RunningClickHouse;
  const makeConfig = (user = 'default') => ({
    CLICKHOUSE_URL: server.url,
    CLICKHOUSE_DATABASE: database,
    CLICKHOUSE_USER: user,
    CLICKHOUSE_PASSWORD: user === 'default' ? '' : password,
  });
  const migrations = () => readMigrations('tracking', new URL('../../../apps/tracking/migrations/', import.meta.url));

  beforeAll(async () => {
    if (isSkipped) return;
    folder = await mkdtemp(join(tmpdir(), 'sluice-hostile-'));
    server = await startClickHouse({ dataDir: folder, users, release });
    await migrate(makeConfig(), await migrations());
  });
  afterAll(async () => {
    if (isSkipped) return;
    await server.stop();
    await rm(folder, { recursive: true });
  });

  when('stores, finds and returns rows of a user without settings of their own', () => story());
  when.each(tried.map((settings, i) => [title(settings), userName(i)]))('%s', (_, user) => story(user));

  /** Steps of a consumer, as a user; each step must have the result that it has for any other. */
  async function story(user?: string): Promise<void> {
    await proveRoundTrip(makeConfig(user));
    expect(await schemaDifferences(makeConfig(user), await migrations())).toEqual([]);
    const writer = new BlockWriter(createClickHouse(makeConfig(user)));
    try {
      const source = `s${randomUUID().slice(0, 11)}`;
      await storeEvents(writer, source);
      await storeIdentifies(writer, source);
    } finally {
      await writer.close();
    }
  }

  async function storeEvents(writer: BlockWriter, source: string): Promise<void> {
    const block = makeBlock('event', source);
    expect(await writer.append('events', block)).toEqual([]);
    const stored = await read('events', source);
    expect(stored).toHaveLength(4);
    expect(stored.map((row) => JSON.parse(String(row['properties'])) as unknown)).toEqual(
      Array.from({ length: 4 }, () => properties),
    );
    expect(stored.map((row) => row['place'])).toEqual(block.rows.map((row) => `${row.offset}@${row.timestamp}`));

    // A replay under the id, one under another id, and repeats of the messages store nothing more.
    expect(await writer.append('events', { ...block, replay: true })).toEqual([]);
    expect(await writer.append('events', { ...block, id: randomUUID(), replay: true })).toEqual([]);
    const repeats = makeBlock('event', source, { from: 100, ids: stored.map((row) => String(row['id'])) });
    expect(await writer.append('events', { ...repeats, possibleRepeats: repeats.rows })).toEqual([]);
    expect(await read('events', source)).toEqual(stored);

    // A replay stores the rows that are missing, and a bad one is refused alone.
    const half = makeBlock('event', source, { from: 300 });
    expect(await writer.append('events', { ...half, id: randomUUID(), rows: half.rows.slice(0, 2) })).toEqual([]);
    expect(await writer.append('events', { ...half, replay: true })).toEqual([]);
    expect(await read('events', source)).toHaveLength(8);
    const bad = { ...block.rows[1], value: Buffer.from('{"message_id":"not a UUID"}') } as Row;
    const mixed = makeBlock('event', source, { from: 200 });
    const rows = [...mixed.rows.slice(0, 2), { ...bad, offset: '299' }];
    const refused = await writer.append('events', { ...mixed, rows });
    expect(refused.map(({ message }) => message.offset)).toEqual(['299']);
    expect(await read('events', source)).toHaveLength(10);
  }

  async function storeIdentifies(writer: BlockWriter, source: string): Promise<void> {
    const block = makeBlock('traits', source);
    const view = { name: 'users_from_identifies', target: 'users' };
    expect(await writer.appendWithView('identifies', view, block)).toEqual([]);
    expect(await writer.appendWithView('identifies', view, { ...block, replay: true })).toEqual([]);
    const stored = await read('identifies', source);
    expect(stored).toHaveLength(4);
    const traits = await select(
      `SELECT trait, value FROM ${database}.users FINAL WHERE source_id = '${source}' AND user_id = 'u0' ORDER BY trait`,
    );
    expect(Object.fromEntries(traits.map(({ trait, value }) => [trait, JSON.parse(String(value)) as unknown]))).toEqual(
      properties,
    );
  }

  const read = (table: 'events' | 'identifies', source: string): Promise<Record<string, unknown>[]> =>
    select(
      `SELECT toString(message_id) AS id, toJSONString(${table === 'events' ? 'properties' : 'traits'}) AS properties,
         concat(toString(kafka_offset), '@', toString(toUnixTimestamp64Milli(kafka_timestamp))) AS place,
         toString(toUnixTimestamp64Milli(timestamp)) AS time, user_id, identity
       FROM ${database}.${table} WHERE source_id = '${source}' ORDER BY kafka_offset`,
    );

  async function select(query: string): Promise<Record<string, unknown>[]> {
    const response = await fetch(server.url, { method: 'POST', body: `${query} FORMAT JSONEachRow` });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }
});

/** A partition for each block, since a place in Kafka is looked up whatever its source. */
let partitions = 0;

const properties = {
  date: '2024-01-05',
  number_text: '1',
  integer: 1,
  float: 1.5,
  mixed: [true, 'x', null],
  numbers: [1, true],
  deep: { a: { b: { c: { d: 1 } } } },
  items: [{ id: 'a' }, { id: 7 }],
  url: 'https://shop.example/a',
};

/** Four messages in two weeks, one of them without a time of its own. */
function makeBlock(
  kind: 'event' | 'traits',
  source: string,
  { from = 0, ids = [] }: { from?: number; ids?: readonly string[] } = {},
): AppendedBlock {
  const arrival = new Date('2026-03-02T12:00:00.001Z');
  const rows = Array.from({ length: 4 }, (_, i): Row => {
    const receivedAt = new Date(arrival.getTime() + (i % 2) * 7 * 86_400_000).toISOString();
    const row = {
      source_id: source,
      request_id: randomUUID(),
      received_at: receivedAt,
      message_id: ids[i] ?? randomUUID(),
      user_id: `u${i}`,
      timestamp: i === 3 ? receivedAt : new Date(arrival.getTime() - i * 60_000).toISOString(),
      ...(kind === 'event' ? { event: 'e', properties } : { traits: properties }),
      context: { page: { url: 'https://shop.example/' } },
      no_such_column: 'x',
      country: null,
    };
    return {
      value: Buffer.from(JSON.stringify(row)),
      offset: String(from + i),
      timestamp: String(1_700_000_000_012 + i),
    };
  });
  return { id: `${source} ${kind} ${from}`, partition: partitions++, rows, replay: false, possibleRepeats: [] };
}
