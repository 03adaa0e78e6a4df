import { type TableConfig } from '../connection/config.js';
import { type Database } from './database.js';
import { MigrationError } from './migration.js';
import { shardDatabase } from '../connection/shards.js';

/** A change that makes a table match the configuration. */
export interface TableChange {
  readonly table: string;
  /** Describes the result, such as `rows stay for 400 days after their arrival`. */
  readonly what: string;
  readonly statement: string;
}

interface Table {
  readonly name: string;
  /** The name in statements. */
  readonly place: string;
  /** Engine, keys, TTL and settings as ClickHouse writes them. */
  readonly definition: string;
}

/**
 * The changes that TABLE_TTL_DAYS and CLICKHOUSE_DURABILITY require, of existing tables and of those that pending
 * migrations may create. Tables and settings that they do not name stay as they are.
 * @throws MigrationError for a TTL of a table that does not exist.
 */
export async function tableChanges(
  database: Database,
  config: TableConfig,
  { areMorePending = false } = {},
): Promise<TableChange[]> {
  const tables = await database.select<Table>(
    `SELECT name, if(database = {name:String}, name, concat('\`', {shard:String}, '\`.', name)) AS place, engine_full AS definition
     FROM system.tables
     WHERE database IN ({name:String}, {shard:String}) AND engine LIKE '%MergeTree' AND name != 'schema_migrations' ORDER BY name`,
    { name: config.CLICKHOUSE_DATABASE, shard: database.shard ? shardDatabase(config.CLICKHOUSE_DATABASE) : '' },
  );
  const ttls = config.TABLE_TTL_DAYS ?? new Map<string, never>();
  const unknown = [...ttls.keys()].filter((table) => !tables.some(({ name }) => name === table));
  if (unknown.length > 0 && !areMorePending) {
    throw new MigrationError(`TABLE_TTL_DAYS: there is no table ${unknown.join(', ')}`);
  }
  return [...tables, ...unknown.map((name) => ({ name, place: name, definition: '' }))].flatMap((table) => [
    ...ttlChange(table, ttls.get(table.name)),
    ...fsyncChange(table, config.CLICKHOUSE_DURABILITY),
  ]);
}

function ttlChange({ name, place, definition }: Table, days: number | 'never' | undefined): TableChange[] {
  const [, presentTtl] = / TTL (.+?)(?: SETTINGS |$)/.exec(definition) ?? [];
  if (days === undefined) return [];
  if (days === 'never') {
    if (presentTtl === undefined) return [];
    return [{ table: name, what: 'rows stay for ever', statement: `ALTER TABLE ${place} REMOVE TTL` }];
  }
  const ttl = `toDateTime(received_at) + toIntervalDay(${days})`;
  if (presentTtl === ttl) return [];
  const description = `rows stay for ${days} days after their arrival`;
  return [{ table: name, what: description, statement: `ALTER TABLE ${place} MODIFY TTL ${ttl}` }];
}

/** Settings that delay the answer to an INSERT until its part, and the folder entry of the part, are on disk. */
const fsyncSettings = ['fsync_after_insert', 'fsync_part_directory'];

function fsyncChange(
  { name, place, definition }: Table,
  durability: TableConfig['CLICKHOUSE_DURABILITY'],
): TableChange[] {
  if (durability === undefined) return [];
  const on = fsyncSettings.filter((setting) => definition.includes(`${setting} = 1`));
  if (durability === 'fsync') {
    if (on.length === fsyncSettings.length) return [];
    const settings = fsyncSettings.map((setting) => `${setting} = 1`).join(', ');
    const statement = `ALTER TABLE ${place} MODIFY SETTING ${settings}`;
    return [{ table: name, what: 'rows are on disk before an INSERT is answered', statement }];
  }
  if (on.length === 0) return [];
  const statement = `ALTER TABLE ${place} RESET SETTING ${fsyncSettings.join(', ')}`;
  return [{ table: name, what: 'an INSERT does not wait for the disk', statement }];
}
