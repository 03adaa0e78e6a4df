import { type ClickHouseConfig, createClickHouse } from '@sluice/clickhouse';
import { checkClickHouse, withClickHouse } from '../servers/with-clickhouse.js';
import { type StatusReport, type TableStatus } from '@sluice/console-api';

type Client = ReturnType<typeof createClickHouse>;

const limitSeconds = 10;

/** Reads the state of ClickHouse and of the tables. @throws OperationError when it cannot be used in time. */
export async function readClickHouseStatus(config: ClickHouseConfig): Promise<StatusReport['clickhouse']> {
  await checkClickHouse(config);
  const client = createClickHouse(config, 'default');
  try {
    return await withClickHouse(config, readTables(client, config.CLICKHOUSE_DATABASE));
  } finally {
    await client.close();
  }
}

async function readTables(client: Client, database: string): Promise<StatusReport['clickhouse']> {
  const [server] = await select<{ version: string }>(client, 'SELECT version() AS version', {});
  const found = await select<{ table: string; rows: string }>(
    client,
    `SELECT name AS table, toString(coalesce(total_rows, 0)) AS rows FROM system.tables
     WHERE database = {database:String} AND engine LIKE '%MergeTree' AND name IN (
       SELECT table FROM system.columns WHERE database = {database:String} AND name = 'received_at')
     ORDER BY table`,
    { database },
  );
  const tables: TableStatus[] = [];
  for (const { table, rows } of found)
    tables.push({ table, rows: Number(rows), ...(await newestOf(client, database, table)) });
  const { version = '' } = server ?? {};
  const rows = tables.reduce((sum, one) => sum + one.rows, 0);
  const summary = `${version}, ${tables.length} tables, ${rows.toLocaleString('en')} rows`;
  if (tables.length > 0) return { verdict: 'ok', summary, version, tables };
  return { verdict: 'attention', summary: `${version}; there are no tables: operator migrate`, version, tables };
}

/** Finds the newest rows of a table. Null for an empty table, for which ClickHouse returns 1970, or after a timeout. */
async function newestOf(
  client: Client,
  database: string,
  table: string,
): Promise<Pick<TableStatus, 'newestReceived' | 'newestStored'>> {
  const [row] = await select<{ received: number; stored: number }>(
    client,
    `SELECT toUnixTimestamp(max(received_at)) AS received, toUnixTimestamp(max(stored_at)) AS stored
     FROM {database:Identifier}.{table:Identifier}`,
    { database, table },
  ).catch(() => []);
  const time = (seconds = 0): string | null => (seconds === 0 ? null : new Date(seconds * 1_000).toISOString());
  return { newestReceived: time(row?.received), newestStored: time(row?.stored) };
}

async function select<T>(client: Client, query: string, query_params: Record<string, unknown>): Promise<T[]> {
  const result = await client.query({
    query,
    query_params,
    format: 'JSONEachRow',
    clickhouse_settings: { max_execution_time: limitSeconds },
    abort_signal: AbortSignal.timeout(limitSeconds * 1_000),
  });
  return result.json<T>();
}
