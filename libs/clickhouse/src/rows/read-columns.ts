import { type ClickHouseClient } from '@clickhouse/client';

/** Names and types of the columns that an INSERT can set, as a structure of ClickHouse. @throws without such a table. */
export async function readColumns(client: ClickHouseClient, table: string): Promise<string> {
  const result = await client.query({
    query: `SELECT name, type FROM system.columns
            WHERE database = currentDatabase() AND table = {table:String} AND default_kind IN ('', 'DEFAULT', 'EPHEMERAL')
            ORDER BY position`,
    query_params: { table },
    format: 'JSONEachRow',
  });
  const columns = await result.json<{ name: string; type: string }>();
  if (columns.length === 0) throw new Error(`there is no table ${table}`);
  return columns.map(({ name, type }) => `\`${name}\` ${type}`).join(', ');
}
