import { type ClickHouseSettings } from '@clickhouse/client';

/** An INSERT ends by itself before its sender gives up on it. */
const insertTimeoutSeconds = 110;

/** Settings by which the JSON of a row is read. */
export const readSettings: ClickHouseSettings = {
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
  max_execution_time: insertTimeoutSeconds,
  wait_end_of_query: 1,
};

// What was sent is what is stored (docs/decisions/0006-free-form-values.md), and one INSERT is one chunk that is stored
// whole or not at all (docs/decisions/0010-exactly-once.md#what-is-trusted).
export const insertSettings: ClickHouseSettings = {
  ...readSettings,
  async_insert: 0,
  insert_deduplicate: 1,
  // Copies of a row within a block are merged with all others; looking for them row by row took a third of an INSERT.
  optimize_on_insert: 0,
  deduplicate_blocks_in_dependent_materialized_views: 1,
  max_insert_block_size: '1048576',
  min_insert_block_size_rows: '1048576',
  min_insert_block_size_bytes: String(512 * 1024 * 1024),
};

/** An INSERT is answered when most replicas have its rows; INSERTs do not wait for each other. */
export const quorumSettings: ClickHouseSettings = {
  insert_quorum: 'auto',
  insert_quorum_parallel: 1,
  insert_quorum_timeout: 60_000,
};
