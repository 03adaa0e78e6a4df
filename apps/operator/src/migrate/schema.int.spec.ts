import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClickHouse, migrate, schemaDifferences, buildSchema } from '@sluice/clickhouse';
import { findMigrations } from '@sluice/operations';
import { hasNewerClickHouse, startClickHouse } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `schema_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config, 'default');
const migrations = await findMigrations();
const { objects } = buildSchema(migrations);

beforeAll(async () => {
  await migrate(config, migrations);
});
afterAll(async () => {
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await client.close();
});

it('knows every table, view, column, index and projection that the migrations make, and no others', async () => {
  const select = async (query: string): Promise<string[]> => {
    const result = await client.query({
      query,
      query_params: { d: config.CLICKHOUSE_DATABASE },
      format: 'JSONEachRow',
    });
    return (await result.json<{ name: string }>()).map(({ name }) => name).sort();
  };
  const namesIn = (kind: string): string[] =>
    objects
      .flatMap((statement) =>
        [...statement.items.values()]
          .filter((item) => item.kind === kind)
          .map((item) => `${statement.name}.${item.name}`),
      )
      .sort();
  const tables = "SELECT name FROM system.tables WHERE database = {d:String} AND name != 'schema_migrations'";

  expect(await select(tables)).toEqual(objects.map(({ name }) => name).sort());
  expect(
    await select(
      `SELECT concat(table, '.', name) AS name FROM system.columns
       WHERE database = {d:String} AND table IN (${tables} AND engine LIKE '%MergeTree')`,
    ),
  ).toEqual(namesIn('COLUMN'));
  const parts = (table: string): string =>
    `SELECT concat(table, '.', name) AS name FROM system.${table} WHERE database = {d:String}`;
  expect(await select(parts('data_skipping_indices'))).toEqual(namesIn('INDEX'));
  expect(await select(parts('projections'))).toEqual(namesIn('PROJECTION'));
  expect(await schemaDifferences(config, migrations)).toEqual([]);
});

it('repairs each table and view that is dropped', { timeout: 120_000 }, async () => {
  for (const { name, kind } of objects) {
    await client.command({
      query: `DROP ${kind === 'table' ? 'TABLE' : 'VIEW'} ${config.CLICKHOUSE_DATABASE}.${name}`,
    });
    expect(await schemaDifferences(config, migrations)).toEqual([`${name}: missing ${kind}`]);
    const { repairs } = await migrate(config, migrations);
    expect(repairs.map(({ table }) => table)).toEqual([name]);
    expect([name, await schemaDifferences(config, migrations)]).toEqual([name, []]);
  }
});

it.skipIf(!(await hasNewerClickHouse()))('is the same on the newer ClickHouse', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-newer-'));
  const server = await startClickHouse({ dataDir: folder, release: 'newer' });
  try {
    const serverConfig = { ...config, CLICKHOUSE_URL: server.url };
    expect((await migrate(serverConfig, migrations)).migrations).toHaveLength(migrations.length);
    expect(await schemaDifferences(serverConfig, migrations)).toEqual([]);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
});

it('has one app for each table and view: a consumer that knows its own files only would undo what another did', () => {
  const apps = [...new Set(migrations.map(({ app }) => app))];
  const owners = apps.flatMap((app) => {
    const appSchema = buildSchema(migrations.filter((migration) => migration.app === app));
    return [...appSchema.objects.map(({ name }) => name), ...appSchema.dropped].map((name) => ({ name, app }));
  });
  const shared = [...Map.groupBy(owners, ({ name }) => name)].filter(
    ([, owners]) => new Set(owners.map(({ app }) => app)).size > 1,
  );
  expect(shared.map(([name]) => name)).toEqual([]);
});
