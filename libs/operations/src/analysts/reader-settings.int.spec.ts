import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { findMigrations } from '../status/migration-files.js';
import { everyView, sentObjects, source, storeEverything } from './every-view.spec-support.js';

// Views answer the same to every reader: whatever the settings of their profile, BI tool or driver.

const seed = 7;
const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `readers_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
const objects = sentObjects(seed, 60);

type Settings = Readonly<Record<string, string | number>>;

/** Settings that profiles, BI tools, dbt and drivers set. Those of one line do not cancel each other. */
const profiles: readonly Settings[] = [
  // ANSI, as many companies set it.
  { aggregate_functions_null_for_empty: 1, join_use_nulls: 1, group_by_use_nulls: 1, union_default_mode: 'DISTINCT' },
  { empty_result_for_aggregation_by_empty_set: 1, transform_null_in: 1, allow_suspicious_low_cardinality_types: 1 },
  { cast_keep_nullable: 1, data_type_default_nullable: 1, use_variant_as_common_type: 1 },
  { prefer_column_name_to_alias: 1, legacy_column_name_of_tuple_literal: 1, enable_positional_arguments: 0 },
  { join_algorithm: 'partial_merge', any_join_distinct_right_table_keys: 1, join_default_strictness: 'ANY' },
  { join_algorithm: 'grace_hash', session_timezone: 'America/New_York', use_legacy_to_time: 1 },
  { join_algorithm: 'full_sorting_merge', optimize_aggregation_in_order: 1 },
  { compatibility: '24.8' },
  { compatibility: '25.3', session_timezone: 'Asia/Tehran' },
  { final: 1, apply_row_policy_after_final: 1, optimize_move_to_prewhere_if_final: 1, use_skip_indexes: 0 },
  { max_block_size: 1, max_threads: 1, max_rows_to_group_by: 1_000_000, optimize_read_in_order: 0 },
  {
    ...{ count_distinct_implementation: 'uniq', count_distinct_optimization: 1, optimize_use_projections: 0 },
    ...{ group_by_two_level_threshold: 1, max_bytes_before_external_sort: 1_000_000 },
    ...{ enable_named_columns_in_function_tuple: 1, asterisk_include_materialized_columns: 1 },
  },
  { date_time_overflow_behavior: 'throw', decimal_check_overflow: 0, date_time_input_format: 'basic' },
  {
    ...{ date_time_overflow_behavior: 'saturate', enable_extended_results_for_datetime_functions: 1 },
    ...{ cast_string_to_date_time_mode: 'best_effort', cast_string_to_dynamic_use_inference: 1 },
  },
  {
    ...{ input_format_try_infer_dates: 1, input_format_try_infer_datetimes: 1, input_format_try_infer_integers: 0 },
    ...{ input_format_json_read_bools_as_strings: 1, input_format_json_read_bools_as_numbers: 1 },
    ...{ input_format_json_read_numbers_as_strings: 1, input_format_json_try_infer_numbers_from_strings: 1 },
    ...{ input_format_json_max_depth: 3, schema_inference_make_columns_nullable: 0, json_type_escape_dots_in_keys: 1 },
  },
  {
    ...{
      input_format_json_infer_array_of_dynamic_from_array_of_different_types: 0,
      input_format_try_infer_variants: 1,
    },
    ...{ input_format_json_infer_incomplete_types_as_strings: 0, type_json_skip_duplicated_paths: 0 },
  },
  {
    ...{ short_circuit_function_evaluation: 'disable', compile_expressions: 0, query_plan_enable_optimizations: 0 },
    ...{ enable_optimize_predicate_expression: 0, optimize_rewrite_sum_if_to_count_if: 0 },
  },
  {
    ...{ short_circuit_function_evaluation: 'force_enable', optimize_if_chain_to_multiif: 1, limit: 1_000_000 },
    ...{ use_query_cache: 1, query_cache_nondeterministic_function_handling: 'ignore', max_result_rows: 1_000_000 },
  },
  { enable_global_with_statement: 0, enable_materialized_cte: 1, readonly: 2, least_greatest_legacy_null_behavior: 1 },
];

beforeAll(async () => {
  await migrate(config, await findMigrations());
  await storeEverything(client, seed, objects);
});
afterAll(async () => {
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await client.close();
});

/** Settings of the answer's text, which say nothing about a view. */
const output = { output_format_json_quote_64bit_integers: 0, output_format_json_quote_decimals: 1 };

/** Asks as a reader with these settings does. The client of Sluice states settings of its own. */
async function ask(query: string, settings: Settings): Promise<string[]> {
  const url = new URL(config.CLICKHOUSE_URL);
  for (const [name, value] of Object.entries({ ...settings, ...output, database: config.CLICKHOUSE_DATABASE }))
    url.searchParams.set(name, String(value));
  const answer = await fetch(url, { method: 'POST', body: `${query} FORMAT JSONEachRow` });
  const text = await answer.text();
  return answer.ok ? text.split('\n').filter(Boolean).sort() : [`failed: ${text.slice(0, 300)}`];
}

/** Asks several at a time, as the server has few cores. */
async function askAll(queries: readonly string[], settings: Settings): Promise<Map<string, string[]>> {
  const answers = new Map<string, string[]>();
  const remainingQueries = [...queries];
  const askNext = async (): Promise<void> => {
    for (let query = remainingQueries.shift(); query !== undefined; query = remainingQueries.shift())
      answers.set(query, await ask(query, settings));
  };
  await Promise.all([1, 2, 3, 4].map(askNext));
  return answers;
}

let standard: Map<string, string[]>;
beforeAll(async () => {
  standard = await askAll(everyView, {});
});

it('has rows in every view', async () => {
  const result = await client.query({
    query: `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine = 'View'`,
    format: 'JSONEachRow',
  });
  const names = (await result.json<{ name: string }>()).map(({ name }) => name);
  expect(names.filter((name) => !everyView.some((query) => query.split(/[ (]/).includes(name)))).toEqual([]);
  expect([...standard].filter(([, rows]) => rows.length === 0 || rows[0]?.startsWith('failed'))).toEqual([]);
});

it.each(profiles)('answers the same with %o', async (settings) => {
  const answers = await askAll(everyView, settings);
  const differentQueries = everyView.filter(
    (query) => answers.get(query)?.join('\n') !== standard.get(query)?.join('\n'),
  );
  expect(
    differentQueries.map((query) => {
      const before = standard.get(query) ?? [];
      const rows = answers.get(query) ?? [];
      return { query, before: before.length, rows: rows.length, first: rows.find((row) => !before.includes(row)) };
    }),
  ).toEqual([]);
});

/** Queries that show a column of type JSON as `value`, one for each view that has one, with what was sent there. */
const jsonViews = [
  ['properties', `events_resolved(source = '${source}') WHERE user_id = 'sent'`],
  ['properties', `event_clients(source = '${source}') WHERE user_id = 'sent'`],
  ['details', `user_timeline(source = '${source}', person = 'sent') WHERE name = 'order_completed'`],
  ['traits', `user_traits WHERE startsWith(user_id, 'sent-')`],
  ['attributes', 'current_products'],
  ['attributes', 'current_product_variants'],
  ['data', 'current_general_entities'],
] as const;

/** Settings by which a reader would get other values from a text that is made into JSON. */
const jsonSettings = Object.assign(
  {},
  ...profiles.filter((profile) => Object.keys(profile).some((name) => name.startsWith('input_format'))),
) as Settings;

it.each(jsonViews)('shows %s as they were sent: %s', async (column, from) => {
  for (const settings of [{}, jsonSettings, { max_block_size: 1 }]) {
    const rows = await ask(`SELECT ${column} AS value FROM ${from}`, settings);
    const values = rows.map((row) => (JSON.parse(row) as { value: Record<string, unknown> }).value);
    // Some events in a timeline are reports of a push interaction.
    const sent = from.startsWith('user_timeline') ? objects.filter((_, n) => n % 7) : objects;
    expect(values.toSorted((a, b) => Number(a['n']) - Number(b['n']))).toEqual(sent);
  }
});

it('shows contexts, attributes of sellers and traits in a timeline as they were sent', async () => {
  const contexts = objects.filter((_, n) => n % 2);
  const sent: [string, unknown][] = [
    [`SELECT context AS value FROM events_resolved(source = '${source}') WHERE user_id = 'sent'`, contexts],
    [`SELECT context AS value FROM event_clients(source = '${source}') WHERE user_id = 'sent'`, contexts],
    [`SELECT attributes AS value FROM current_sellers`, objects.slice(0, 5)],
    ...[...objects.keys()]
      .slice(-8)
      .map((n): [string, unknown] => [
        `SELECT details AS value FROM user_timeline(source = '${source}', person = 'sent-${n}')`,
        [objects[n]],
      ]),
  ];
  for (const [query, expected] of sent) {
    const values = (await ask(query, jsonSettings)).map((row) => (JSON.parse(row) as { value: object }).value);
    const ownValues = values.filter((value): value is { n: number } => 'n' in value);
    expect([query, ownValues.toSorted((a, b) => a.n - b.n)]).toEqual([query, expected]);
  }
});
