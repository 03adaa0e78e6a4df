import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';
import { createClickHouse } from './client.js';
import { type ClickHouseConfig } from './config.js';

/** A file of SQL statements of one app, `0001-events.sql`, applied once and never changed afterwards. */
export interface Migration {
  app: string;
  /** The file's name without `.sql`; files of an app are applied in the order of their names. */
  name: string;
  statements: string[];
  checksum: string;
}

/** A migration cannot be applied; a person has to look. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** @throws MigrationError when a file is not named `NNNN-name.sql`. */
export async function readMigrations(app: string, folder: string | URL): Promise<Migration[]> {
  const path = folder instanceof URL ? fileURLToPath(folder) : folder;
  const files = (await readdir(path)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(files.map(async (file) => parse(app, file, await readFile(join(path, file), 'utf8'))));
}

/**
 * Brings the database up to date and returns the names of what was applied now. Safe to run from several processes at
 * once: every statement is written with IF NOT EXISTS or its like, so the second to run it changes nothing.
 * @throws MigrationError when an applied file was changed, or ClickHouse refuses a statement.
 */
export async function migrate(config: ClickHouseConfig, migrations: readonly Migration[]): Promise<string[]> {
  await createDatabase(config);
  const client = createClickHouse(config);
  try {
    const applied = await readApplied(client);
    const pending = migrations.filter((migration) => isPending(migration, applied));
    for (const migration of pending) {
      await apply(client, migration);
      const { app, name, checksum } = migration;
      await client.insert({ table: 'schema_migrations', values: [{ app, name, checksum }], format: 'JSONEachRow' });
    }
    return pending.map(({ app, name }) => `${app}/${name}`);
  } finally {
    await client.close();
  }
}

async function apply(client: ClickHouseClient, { app, name, statements }: Migration): Promise<void> {
  try {
    for (const query of statements) await client.command({ query });
  } catch (error) {
    if (!(error instanceof ClickHouseError)) throw error;
    throw new MigrationError(`${app}/${name}.sql was refused by ClickHouse: ${error.message}`, { cause: error });
  }
}

function parse(app: string, file: string, sql: string): Migration {
  if (!/^\d{4}-[a-z0-9-]+\.sql$/.test(file)) throw new MigrationError(`${app}: ${file} is not named NNNN-name.sql`);
  const statements = sql
    .replace(/^\s*--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  return { app, name: basename(file, '.sql'), statements, checksum: createHash('sha256').update(sql).digest('hex') };
}

async function createDatabase(config: ClickHouseConfig): Promise<void> {
  const client = createClickHouse(config, 'default');
  try {
    await client.command({
      query: 'CREATE DATABASE IF NOT EXISTS {database:Identifier}',
      query_params: { database: config.CLICKHOUSE_DATABASE },
    });
  } finally {
    await client.close();
  }
}

async function readApplied(client: ClickHouseClient): Promise<Map<string, string>> {
  await client.command({
    query: `
      CREATE TABLE IF NOT EXISTS schema_migrations
      (
          app LowCardinality(String),
          name String,
          checksum FixedString(64),
          applied_at DateTime64(3, 'UTC') DEFAULT now64(3)
      )
      ENGINE = ReplacingMergeTree ORDER BY (app, name)`,
  });
  const result = await client.query({
    query: 'SELECT app, name, checksum FROM schema_migrations',
    format: 'JSONEachRow',
  });
  const rows = await result.json<Pick<Migration, 'app' | 'name' | 'checksum'>>();
  return new Map(rows.map(({ app, name, checksum }) => [`${app}/${name}`, checksum]));
}

function isPending({ app, name, checksum }: Migration, applied: Map<string, string>): boolean {
  const known = applied.get(`${app}/${name}`);
  if (known !== undefined && known !== checksum) {
    throw new MigrationError(`${app}/${name}.sql was changed after it was applied; add a new file instead`);
  }
  return known === undefined;
}
