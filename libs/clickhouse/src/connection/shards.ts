import { makeValidator } from '@sluice/service';
import { quoteName } from '../statement/quote.js';

/** Tables whose rows lie on one shard each. Every shard has a copy of all other tables. */
export const shardedTables: ReadonlySet<string> = new Set(['events', 'ad_requests', 'canary_probes']);

/** The database of the sharded tables. In the main database, a table of the same name reads all shards. */
export const shardDatabase = (database: string): string => `${database}_shard`;

/** Addresses of the shards by name. */
export type ShardUrls = ReadonlyMap<string, string>;

/** Reads `a=http://clickhouse-a:8123,b=http://clickhouse-b:8123`. */
export const shardUrls = makeValidator<ShardUrls>((input) => {
  const shards = new Map<string, string>();
  for (const entry of input.split(',')) {
    const [, name = '', url = ''] = /^\s*([a-z0-9][a-z0-9-]{0,30})=(https?:\/\/\S+?)\s*$/.exec(entry) ?? [];
    if (name === '' || !URL.canParse(url))
      throw new TypeError(`an entry must be a name, "=", and an http or https URL`);
    if (shards.has(name)) throw new TypeError(`"${name}" is named twice`);
    shards.set(name, url);
  }
  return shards;
});

/** Names with which the tables of a shard are created. */
export interface ShardTables {
  readonly database: string;
  /** The cluster by which all shards are read. */
  readonly cluster: string;
}

/** The part of the configuration that names the shards. */
interface ShardConfig {
  readonly CLICKHOUSE_DATABASE: string;
  readonly CLICKHOUSE_SHARDS?: ShardUrls | undefined;
  readonly CLICKHOUSE_SHARDS_CLUSTER?: string | undefined;
  readonly CLICKHOUSE_CLUSTER?: string | undefined;
}

/** Undefined where ClickHouse is one server. */
export function findShardTables(config: ShardConfig): ShardTables | undefined {
  const { CLICKHOUSE_SHARDS, CLICKHOUSE_SHARDS_CLUSTER, CLICKHOUSE_CLUSTER, CLICKHOUSE_DATABASE: database } = config;
  const cluster = CLICKHOUSE_SHARDS_CLUSTER ?? CLICKHOUSE_CLUSTER;
  return CLICKHOUSE_SHARDS && cluster !== undefined ? { database, cluster } : undefined;
}

const aboutShardedTable = /^((?:CREATE TABLE(?: IF NOT EXISTS)?|ALTER TABLE|OPTIMIZE TABLE|INSERT INTO)\s+)(\w+)\b/i;

/**
 * The statements that each shard runs for one statement of a migration. A sharded table lies in `shardDatabase`; a
 * table of the same name in the main database reads all shards, with the same columns.
 */
export function onShard(statement: string, shard: ShardTables): string[] {
  const [head = '', verb = '', table = ''] = aboutShardedTable.exec(statement) ?? [];
  if (!shardedTables.has(table)) return [statement];
  const shardStatement = `${verb}${localTable(shard, table)}${statement.slice(head.length)}`;
  return [
    shardStatement,
    `CREATE OR REPLACE TABLE ${table} AS ${localTable(shard, table)} ${readingAll(shard, table)}`,
  ];
}

/**
 * Statements that turn a single server's table into the first shard's, without moving data: its name goes to a table
 * that reads all shards. After an interrupted run, the statements that are still needed.
 * @param engines the engines of the main database's tables, by table
 */
export function becomeSharded(shard: ShardTables, table: string, engines: ReadonlyMap<string, string>): string[] {
  const qualifyName = (name: string): string => `${quoteName(shard.database)}.${name}`;
  const reader = `${table}_on_all_shards`;
  const takeName = `RENAME TABLE ${qualifyName(reader)} TO ${qualifyName(table)}`;
  if (!engines.has(table)) return engines.has(reader) ? [takeName] : [];
  if (!engines.get(table)?.endsWith('MergeTree')) return [];
  return [
    `CREATE DATABASE IF NOT EXISTS ${quoteName(shardDatabase(shard.database))}`,
    `CREATE TABLE IF NOT EXISTS ${qualifyName(reader)} AS ${qualifyName(table)} ${readingAll(shard, table)}`,
    `RENAME TABLE ${qualifyName(table)} TO ${localTable(shard, table)}`,
    takeName,
  ];
}

const localTable = ({ database }: ShardTables, table: string): string =>
  `${quoteName(shardDatabase(database))}.${table}`;

/** A table without a sharding key, so that ClickHouse refuses an INSERT: it does not know the shard of the block. */
const readingAll = ({ database, cluster }: ShardTables, table: string): string =>
  `ENGINE = Distributed(${quoteName(cluster)}, ${quoteName(shardDatabase(database))}, ${table})`;
