import { type ClickHouseConfig, createClickHouse, shardDatabase, shardedTables } from '@sluice/clickhouse';
import { checkClickHouse, withClickHouse } from '../servers/with-clickhouse.js';
import { type SystemReport, type TableStatus } from '@sluice/console-api';
import { describeFailure } from '../operation-error.js';

type Client = ReturnType<typeof createClickHouse>;

const limitSeconds = 10;

type ClickHouseStatus = SystemReport['clickhouse'];

/** Reads the state of ClickHouse and of the tables. @throws OperationError when a server without shards fails. */
export async function readClickHouseStatus(config: ClickHouseConfig): Promise<ClickHouseStatus> {
  const { CLICKHOUSE_SHARDS } = config;
  if (!CLICKHOUSE_SHARDS) return readServer(config);
  const shards = [...CLICKHOUSE_SHARDS].map(async ([name, CLICKHOUSE_URL]) => {
    const shardConfig = { ...config, CLICKHOUSE_URL };
    return readServer(shardConfig).then(
      (status) => ({ name, status }),
      (error: unknown) => ({ name, unreachable: describeFailure(error) }),
    );
  });
  return mergeShards(await Promise.all(shards));
}

/** Rows of a sharded table are added up; of the others, every shard has all. */
function mergeShards(
  shards: ({ name: string } & ({ status: ClickHouseStatus } | { unreachable: string }))[],
): ClickHouseStatus {
  const tables = new Map<string, TableStatus>();
  for (const shard of shards)
    for (const table of 'status' in shard ? shard.status.tables : [])
      tables.set(table.table, mergeTables(table, tables.get(table.table)));
  const unreachable = shards.flatMap((shard) =>
    'unreachable' in shard ? [`shard ${shard.name} is unreachable: ${shard.unreachable}`] : [],
  );
  const version =
    shards
      .map((shard) => ('status' in shard ? shard.status.version : null))
      .find((shardVersion) => shardVersion !== null) ?? null;
  const rows = [...tables.values()].reduce((sum, table) => sum + table.rows, 0);
  const text = `${version ?? ''}, ${shards.length} shards, ${tables.size} tables, ${rows.toLocaleString('en')} rows`;
  const isWhole = unreachable.length === 0 && tables.size > 0;
  return {
    verdict: unreachable.length === shards.length ? 'unreachable' : isWhole ? 'ok' : 'attention',
    summary: [...unreachable, text].join('; '),
    version,
    tables: [...tables.values()].sort((a, b) => a.table.localeCompare(b.table)),
  };
}

function mergeTables(table: TableStatus, otherCopy: TableStatus | undefined): TableStatus {
  if (!otherCopy) return table;
  const laterTime = (a: string | null, b: string | null): string | null => ((a ?? '') > (b ?? '') ? a : b);
  return {
    table: table.table,
    rows: shardedTables.has(table.table) ? table.rows + otherCopy.rows : Math.max(table.rows, otherCopy.rows),
    newestReceived: laterTime(table.newestReceived, otherCopy.newestReceived),
    newestStored: laterTime(table.newestStored, otherCopy.newestStored),
  };
}

async function readServer(config: ClickHouseConfig): Promise<ClickHouseStatus> {
  await checkClickHouse(config);
  const client = createClickHouse(config, 'default');
  try {
    return await withClickHouse(config, readTables(client, config.CLICKHOUSE_DATABASE));
  } finally {
    await client.close();
  }
}

async function readTables(client: Client, database: string): Promise<ClickHouseStatus> {
  const [server] = await select<{ version: string }>(client, 'SELECT version() AS version', {});
  const databases = [database, shardDatabase(database)];
  const tableRows = await select<{ table: string; place: string; rows: string }>(
    client,
    `SELECT name AS table, database AS place, toString(coalesce(total_rows, 0)) AS rows FROM system.tables
     WHERE database IN {databases:Array(String)} AND engine LIKE '%MergeTree' AND name IN (
       SELECT table FROM system.columns WHERE database IN {databases:Array(String)} AND name = 'received_at')
     ORDER BY table`,
    { databases },
  );
  const tables: TableStatus[] = [];
  for (const { table, place, rows } of tableRows)
    tables.push({ table, rows: Number(rows), ...(await readNewestTimes(client, place, table)) });
  const { version = '' } = server ?? {};
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const summary = `${version}, ${tables.length} tables, ${rows.toLocaleString('en')} rows`;
  if (tables.length > 0) return { verdict: 'ok', summary, version, tables };
  return { verdict: 'attention', summary: `${version}; there are no tables: operator migrate`, version, tables };
}

/** Times of the newest rows of a table; null if it is empty, for which ClickHouse returns 1970, or the query failed. */
async function readNewestTimes(
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
  const isoTime = (seconds = 0): string | null => (seconds === 0 ? null : new Date(seconds * 1_000).toISOString());
  return { newestReceived: isoTime(row?.received), newestStored: isoTime(row?.stored) };
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
