import { type ClickHouseSettings, SettingsMap } from '@clickhouse/client';
import { ignoringViews } from '../rows/insert-settings.js';

/**
 * Settings of all queries of Sluice. Whatever the profile of its user says, and whichever defaults another version of
 * ClickHouse has, a query reads the rows that are there, fails when it cannot read all of them, and has its answer in one
 * form (docs/decisions/0084-round-trip.md). A query may set others.
 */
export const ownSettings: ClickHouseSettings = {
  // Takes back what a profile changed by the name of an older version.
  compatibility: '',
  dialect: 'clickhouse',
  session_timezone: 'UTC',
  max_parser_depth: '1000',
  max_parser_backtracks: '1000000',
  // An INSERT that is answered is stored.
  async_insert: 0,
  // Views of others do not stop what Sluice writes; blocks of rows regard their errors first (write/foreign-views.ts).
  ...ignoringViews,

  // Settings of the rows that are read.
  final: 0,
  limit: '0',
  offset: '0',
  additional_result_filter: '',
  additional_table_filters: SettingsMap.from({}),
  apply_deleted_mask: 1,
  apply_patch_parts: 1,
  skip_unavailable_shards: 0,
  use_query_cache: 0,
  // A date beyond those of `Date` wraps, and its part would be left out (ClickHouse compares the wrapped one).
  use_statistics_for_part_pruning: 0,
  force_index_by_date: 0,
  force_primary_key: 0,
  force_optimize_projection: 0,

  // A query that meets a limit fails. With `break` it would answer with some of the rows.
  read_overflow_mode: 'throw',
  read_overflow_mode_leaf: 'throw',
  result_overflow_mode: 'throw',
  timeout_overflow_mode: 'throw',
  timeout_overflow_mode_leaf: 'throw',
  set_overflow_mode: 'throw',
  distinct_overflow_mode: 'throw',
  group_by_overflow_mode: 'throw',
  sort_overflow_mode: 'throw',
  join_overflow_mode: 'throw',
  transfer_overflow_mode: 'throw',

  // A look-up beyond a limit would keep its partition waiting for ever. Those who need limits set their own.
  max_rows_to_read: '0',
  max_bytes_to_read: '0',
  max_rows_to_read_leaf: '0',
  max_bytes_to_read_leaf: '0',
  max_result_rows: '0',
  max_result_bytes: '0',
  max_rows_in_set: '0',
  max_bytes_in_set: '0',
  max_rows_in_distinct: '0',
  max_bytes_in_distinct: '0',

  // Settings of answers.
  date_time_output_format: 'simple',
  bool_true_representation: 'true',
  bool_false_representation: 'false',
  output_format_json_array_of_rows: 0,
  output_format_json_escape_forward_slashes: 1,
  output_format_json_named_tuples_as_objects: 1,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_decimals: 0,
  output_format_json_quote_denormals: 0,
  output_format_json_skip_null_value_in_named_tuples: 0,
  output_format_tsv_crlf_end_of_line: 0,
  http_write_exception_in_output_format: 0,
};

/** Settings of statements that make tables and views. Settings of a profile would make other tables and views. */
export const schemaSettings: ClickHouseSettings = {
  data_type_default_nullable: 0,
  default_normal_view_sql_security: 'INVOKER',
  default_materialized_view_sql_security: 'DEFINER',
  default_view_definer: 'CURRENT_USER',
  flatten_nested: 1,
};
