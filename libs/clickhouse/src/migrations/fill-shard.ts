import { type ClickHouseClient, type ClickHouseSettings } from '@clickhouse/client';
import { createClickHouse } from '../connection/client.js';
import { type ClickHouseConfig } from '../connection/config.js';
import { Database } from './database.js';
import { quorumSettings } from '../rows/insert-settings.js';
import { type LookUp, lookUpIn, lookUpOnCluster, onSyncedReplica } from '../look-up/look-up.js';
import { MigrationError } from './migration.js';
import { shardDatabase, shardedTables } from '../connection/shards.js';

/** A copy of a large table may take this long. */
const copyTimeoutMs = 6 * 60 * 60_000;
const unlimited: ClickHouseSettings = { max_execution_time: 0 };

/** A shard that is copied from or to: one server, or replicas behind one address. */
interface Side {
  readonly client: ClickHouseClient;
  readonly isOnCluster: boolean;
  readonly lookUp: LookUp;
}

/**
 * Copies the tables that every shard has from one shard to another, whose own rows in them it removes. Precondition: no
 * consumer runs, so that nothing is stored at that time. It can be repeated after a failure. On a cluster, a replica
 * that has fetched everything is read and counted, and a row is copied once most replicas of the new shard have it.
 * @returns the number of rows in the copies, by table
 */
export async function fillShard(
  config: ClickHouseConfig,
  fromUrl: string,
  toUrl: string,
): Promise<ReadonlyMap<string, number>> {
  const openSide = (CLICKHOUSE_URL: string): Side => {
    const client = createClickHouse({ ...config, CLICKHOUSE_URL }, config.CLICKHOUSE_DATABASE, {}, copyTimeoutMs);
    const isOnCluster = config.CLICKHOUSE_CLUSTER !== undefined;
    return { client, isOnCluster, lookUp: isOnCluster ? lookUpOnCluster(client) : lookUpIn(client) };
  };
  const [from, to] = [openSide(fromUrl), openSide(toUrl)];
  try {
    const tables = await copiedTables(from.client);
    // All are emptied first: the copy of identifies also fills users.
    for (const table of tables) await to.client.command({ query: `TRUNCATE TABLE ${table}` });
    const counts = new Map<string, number>();
    for (const table of tables) {
      await copy(from, to, table);
      const [sourceCount, copyCount] = [await countRows(from, table), await countRows(to, table)];
      if (sourceCount !== copyCount)
        throw new MigrationError(`${table}: ${copyCount} of ${sourceCount} rows were copied; migrate again`);
      counts.set(table, copyCount);
    }
    return counts;
  } finally {
    await Promise.all([from.client.close(), to.client.close()]);
  }
}

/** True when a server holds any rows of Sluice; with `sharded`, any of the sharded tables. */
export function hasRows(config: ClickHouseConfig, { sharded = false } = {}): Promise<boolean> {
  const { CLICKHOUSE_DATABASE: name } = config;
  return Database.use(config, 'default', async (database) => {
    const rows = await database.select(
      `SELECT 1 FROM system.parts
       WHERE database IN {names:Array(String)} AND table != 'schema_migrations' AND active AND rows > 0
         AND (table IN {tables:Array(String)} OR NOT {sharded:Bool}) LIMIT 1`,
      { names: [name, shardDatabase(name)], tables: [...shardedTables], sharded },
    );
    return rows.length > 0;
  });
}

/** Counts the shards that a server knows in the cluster by which it reads all shards. */
export function knownShards(config: ClickHouseConfig): Promise<number> {
  return Database.use(config, 'default', (database) => database.countShards(database.shard?.cluster ?? ''));
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

async function copy(from: Side, to: Side, table: string): Promise<void> {
  const columns = (await readColumns(from.client, table)).map((name) => `\`${name}\``).join(', ');
  const { stream } = await readRows(from, table, `SELECT ${columns} FROM ${table} FORMAT Native`);
  const answer = await to.client.exec({
    query: `INSERT INTO ${table} (${columns}) FORMAT Native`,
    values: stream,
    clickhouse_settings: {
      ...unlimited,
      ...(to.isOnCluster && quorumSettings),
      // An interrupted copy is begun again: its blocks must not be dropped as repeats of the removed ones.
      insert_deduplicate: 0,
      deduplicate_insert: 'disable',
      wait_end_of_query: 1,
    },
  });
  answer.stream.resume();
  await new Promise((resolve, reject) => answer.stream.once('end', resolve).once('error', reject));
}

async function readColumns(client: ClickHouseClient, table: string): Promise<string[]> {
  const result = await client.query({
    query: `SELECT name FROM system.columns
            WHERE database = currentDatabase() AND table = {table:String} AND default_kind IN ('', 'DEFAULT') ORDER BY position`,
    query_params: { table },
    format: 'JSONEachRow',
  });
  return (await result.json<{ name: string }>()).map(({ name }) => name);
}

/** Reads a table. A replica that lags would leave rows out, and a count on it would not show that. */
function readRows({ client, isOnCluster }: Side, table: string, query: string): ReturnType<ClickHouseClient['exec']> {
  const read = () => client.exec({ query, clickhouse_settings: unlimited });
  return isOnCluster ? onSyncedReplica(client, table, read, ({ stream }) => stream.destroy()) : read();
}

/** Counts rows without their copies, which merges may have removed from only one of the two tables. */
async function countRows({ lookUp }: Side, table: string): Promise<number> {
  const [row] = await lookUp<{ n: string }>(table, `SELECT count() AS n FROM ${table} FINAL`, { settings: unlimited });
  return Number(row?.n);
}
