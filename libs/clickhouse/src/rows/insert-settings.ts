import { type ClickHouseSettings } from '@clickhouse/client';

/** Shorter than the timeout of the request: an INSERT ends before its sender gives up on it. */
const insertTimeoutSeconds = 110;

/** Items of arrays are Nullable, as the documented ways to read them say. The client's type knows only 0 and 1. */
const nullableItems: Record<'schema_inference_make_columns_nullable', never> = {
  schema_inference_make_columns_nullable: '3' as never,
};

/** Settings for reading the JSON of a row. */
export const readSettings: ClickHouseSettings = {
  date_time_input_format: 'best_effort',
  input_format_try_infer_dates: 0,
  input_format_try_infer_datetimes: 0,
  // Keeps each item of an array of mixed types as it is, such as [true, "x"] and [true, 1].
  input_format_json_infer_array_of_dynamic_from_array_of_different_types: 1,
  input_format_json_read_bools_as_strings: 0,
  input_format_json_read_bools_as_numbers: 0,
  input_format_json_read_numbers_as_strings: 0,
  // A string column would take an object or a list as text, without parsing it. Unclosed, it would reach over the rows
  // after it, up to one that has a brace too many, and all of them would be stored as one row.
  input_format_json_read_objects_as_strings: 0,
  input_format_json_read_arrays_as_strings: 0,
  type_json_skip_duplicated_paths: 1,
  // Defaults on which the stored values depend. A version or a profile of ClickHouse may have others.
  input_format_try_infer_integers: 1,
  input_format_try_infer_variants: 0,
  input_format_json_try_infer_numbers_from_strings: 0,
  input_format_json_infer_incomplete_types_as_strings: 1,
  input_format_json_max_depth: '1000',
  input_format_json_throw_on_bad_escape_sequence: 1,
  input_format_json_ignore_unnecessary_fields: 1,
  input_format_json_empty_as_default: 0,
  ...nullableItems,
  schema_inference_make_json_columns_nullable: 0,
  json_type_escape_dots_in_keys: 0,
  type_json_allow_duplicated_key_with_literal_and_nested_object: 1,
  date_time_overflow_behavior: 'ignore',
  // A column that the row lacks, or has as null, gets its default; a member without a column is left out.
  input_format_defaults_for_omitted_fields: 1,
  input_format_null_as_default: 1,
  input_format_skip_unknown_fields: 1,
  input_format_import_nested_json: 0,
  // A bad row refuses its block. Skipped, it would be lost.
  input_format_allow_errors_num: '0',
  input_format_allow_errors_ratio: 0,
  input_format_record_errors_file_path: '',
  // A connection that breaks refuses the block, whose first rows would otherwise be stored.
  input_format_connection_handling: 0,
  input_format_max_block_wait_ms: '0',
  input_format_max_block_size_bytes: '0',
  input_format_parallel_parsing: 0,
  max_execution_time: insertTimeoutSeconds,
  wait_end_of_query: 1,
};

/**
 * Reads each value of a JSON column without regard to the rows before it. By default an array takes a type that an
 * earlier row has at its path and that it fits (docs/decisions/0078-rows-and-neighbours.md).
 */
export const apartSettings: ClickHouseSettings = { max_dynamic_subcolumns_in_json_type_parsing: '0' };

// Values are stored as they were sent (docs/decisions/0006-free-form-values.md). One INSERT is one chunk, which is
// stored whole or not at all (docs/decisions/0010-exactly-once.md#what-is-trusted).
export const insertSettings: ClickHouseSettings = {
  ...readSettings,
  async_insert: 0,
  insert_deduplicate: 1,
  deduplicate_insert: 'enable',
  // Merges remove copies of a row within a block later; removing them in the INSERT took a third of its time.
  optimize_on_insert: 0,
  deduplicate_blocks_in_dependent_materialized_views: 1,
  // Views that run at once stop each other when one fails.
  parallel_view_processing: 0,
  // An INSERT makes one part per week of its rows. A lower limit would need more INSERTs, and make more parts.
  max_partitions_per_insert_block: '500',
  throw_on_max_partitions_per_insert_block: 1,
  max_insert_block_size: '1048576',
  min_insert_block_size_rows: '1048576',
  min_insert_block_size_bytes: String(512 * 1024 * 1024),
  max_insert_block_size_bytes: '0',
  use_strict_insert_block_limits: 0,
  insert_allow_materialized_columns: 0,
  // A view that fails refuses the block: only so is it noticed (docs/decisions/0110-foreign-views.md).
  materialized_views_ignore_errors: 0,
  ignore_materialized_views_with_dropped_target_table: 0,
};

/** Stores a block although views of its table fail. Views that fail lack its rows; the other ones get them. */
export const ignoringViews: ClickHouseSettings = {
  materialized_views_ignore_errors: 1,
  ignore_materialized_views_with_dropped_target_table: 1,
};

/** ClickHouse answers an INSERT when most replicas have its rows; INSERTs do not wait for each other. */
export const quorumSettings: ClickHouseSettings = {
  insert_quorum: 'auto',
  insert_quorum_parallel: 1,
  insert_quorum_timeout: 60_000,
};

/**
 * No time limit in a replicated table: an INSERT that is cut off could be stored, but not remembered under its token
 * (ClickHouse #112149). The deadline of the sender ends the wait, and the block is stored again.
 */
export const clusterSettings: ClickHouseSettings = { max_execution_time: 0 };
