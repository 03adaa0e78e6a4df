import { type ClickHouseClient } from '@clickhouse/client';
import { createClickHouse } from './client.js';
import { type ClickHouseConfig } from './config.js';
import { Database } from './database.js';
import { MigrationError } from './migration.js';
import { shardDatabase, shardedTables } from './shards.js';

/** A copy of a large table may take this long. */
const copyTimeoutMs = 6 * 60 * 60_000;

/**
 * Copies the tables that every shard has from one shard to another, in place of what that has. Precondition: no consumer
 * runs, so that nothing is stored meanwhile. If it fails, it can be begun again.
 * @returns the rows of the copies, by table
 */
export async function fillShard(
  config: ClickHouseConfig,
  fromUrl: string,
  toUrl: string,
): Promise<ReadonlyMap<string, number>> {
  const at = (CLICKHOUSE_URL: string): ClickHouseClient =>
    createClickHouse({ ...config, CLICKHOUSE_URL }, config.CLICKHOUSE_DATABASE, {}, copyTimeoutMs);
  const [from, to] = [at(fromUrl), at(toUrl)];
  try {
    const tables = await copiedTables(from);
    // All of them first: the copy of identifies also fills users.
    for (const table of tables) await to.command({ query: `TRUNCATE TABLE ${table}` });
    const counts = new Map<string, number>();
    for (const table of tables) {
      await copy(from, to, table);
      const [there, here] = [await countOf(from, table), await countOf(to, table)];
      if (there !== here) throw new MigrationError(`${table}: ${here} of ${there} rows were copied; migrate again`);
      counts.set(table, here);
    }
    return counts;
  } finally {
    await Promise.all([from.close(), to.close()]);
  }
}

/** Whether a server holds any rows of ours, or, with `sharded`, of the sharded tables. */
export function hasRows(config: ClickHouseConfig, { sharded = false } = {}): Promise<boolean> {
  const { CLICKHOUSE_DATABASE: name } = config;
  return Database.use(config, 'default', async (database) => {
    const found = await database.select(
      `SELECT 1 FROM system.parts
       WHERE database IN {names:Array(String)} AND table != 'schema_migrations' AND active AND rows > 0
         AND (table IN {tables:Array(String)} OR NOT {sharded:Bool}) LIMIT 1`,
      { names: [name, shardDatabase(name)], tables: [...shardedTables], sharded },
    );
    return found.length > 0;
  });
}

/** Counts the shards that a server knows of the cluster by which it reads all. */
export function knownShards(config: ClickHouseConfig): Promise<number> {
  return Database.use(config, 'default', (database) => database.shardsOf(database.shard?.cluster ?? ''));
}

async function copiedTables(client: ClickHouseClient): Promise<string[]> {
  const result = await client.query({
    query:
      "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' ORDER BY name",
    format: 'JSONEachRow',
  });
  const tables = (await result.json<{ name: string }>()).map(({ name }) => name);
  return tables.filter((name) => name !== 'schema_migrations' && !shardedTables.has(name));
}

async function copy(from: ClickHouseClient, to: ClickHouseClient, table: string): Promise<void> {
  const result = await from.query({
    query: `SELECT name FROM system.columns
            WHERE database = currentDatabase() AND table = {table:String} AND default_kind IN ('', 'DEFAULT') ORDER BY position`,
    query_params: { table },
    format: 'JSONEachRow',
  });
  const columns = (await result.json<{ name: string }>()).map(({ name }) => `\`${name}\``).join(', ');
  const { stream } = await from.exec({
    query: `SELECT ${columns} FROM ${table} FORMAT Native`,
    clickhouse_settings: { max_execution_time: 0 },
  });
  const answer = await to.exec({
    query: `INSERT INTO ${table} (${columns}) FORMAT Native`,
    values: stream,
    // An interrupted copy is begun again: its blocks must not count as repeats of those that were removed.
    clickhouse_settings: { max_execution_time: 0, insert_deduplicate: 0, wait_end_of_query: 1 },
  });
  answer.stream.resume();
  await new Promise((resolve, reject) => answer.stream.once('end', resolve).once('error', reject));
}

/** Rows without their copies, which merges may have removed from one of two tables. */
async function countOf(client: ClickHouseClient, table: string): Promise<number> {
  const result = await client.query({ query: `SELECT count() AS n FROM ${table} FINAL`, format: 'JSONEachRow' });
  const [row] = await result.json<{ n: string }>();
  return Number(row?.n);
}
