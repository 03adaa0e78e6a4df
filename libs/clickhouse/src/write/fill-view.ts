import { type ClickHouseClient, type ClickHouseSettings } from '@clickhouse/client';
import { type RowBlock } from '../rows/encode-rows.js';
import { insertRows } from '../rows/insert-rows.js';
import { readColumns } from '../rows/read-columns.js';
import { type FilledTarget } from './table-writer.js';

/**
 * Writes the rows of a block into the target of a view: by the view's SELECT, and without its table. The table may have
 * merged some of the rows by then, and its INSERT says nothing about a view whose errors were ignored. The target's engine must
 * merge copies of a row.
 * @throws when ClickHouse does not answer or refuses, or has no such view.
 */
export async function fillView(
  client: ClickHouseClient,
  table: string,
  { name, target }: FilledTarget,
  block: RowBlock,
  settings: ClickHouseSettings,
): Promise<void> {
  const result = await client.query({
    query: `SELECT as_select FROM system.tables WHERE database = currentDatabase() AND name = {name:String}`,
    query_params: { name },
    format: 'JSONEachRow',
  });
  const [view] = await result.json<{ as_select: string }>();
  if (!view) throw new Error(`there is no view ${name}`);
  const structure = (await readColumns(client, table)).replaceAll(/[\\']/g, '\\$&');
  const [before, after, ...more] = view.as_select.split(
    new RegExp(`(?<=\\bFROM )(?:[^\\s(]+\\.)?\`?${table}\`?(?!\\S)`),
  );
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`the view ${name} does not read ${table} once`);
  // Data that an INSERT brings along has no defaults, so the time of storing is set here.
  const select = `SELECT * REPLACE (now64(3) AS stored_at) FROM (${before}input('${structure}')${after})`;
  await insertRows(client, `${target} ${select}`, block, {
    ...settings,
    insert_deduplicate: 0,
    deduplicate_insert: 'disable',
    deduplicate_insert_select: 'disable',
  });
}
