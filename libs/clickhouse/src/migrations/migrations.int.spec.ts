import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {} from '@sluice/testing'; // types of `inject`
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { createClickHouse } from '../connection/client.js';
import { MigrationError, readMigrations } from './migration.js';
import { migrate } from './migrations.js';

let folder: string;
let config: Parameters<typeof migrate>[0];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-migrations-'));
  config = {
    CLICKHOUSE_URL: inject('clickhouseUrl'),
    CLICKHOUSE_DATABASE: `db_${randomUUID().replaceAll('-', '')}`,
    CLICKHOUSE_USER: 'default',
    CLICKHOUSE_PASSWORD: '',
  };
  await write(
    '0001-things.sql',
    '-- things; of all kinds\nCREATE TABLE IF NOT EXISTS things (n UInt8) ENGINE = Memory;\n',
  );
  await write('0002-more.sql', "ALTER TABLE things ADD COLUMN IF NOT EXISTS s String DEFAULT ';';\nSELECT 1");
});
afterEach(() => rm(folder, { recursive: true }));

const write = (name: string, sql: string) => writeFile(join(folder, name), sql);
const run = async () => (await migrate(config, await readMigrations('app', folder))).migrations;

it('applies new migrations in order, each once', async () => {
  expect(await run()).toEqual(['app/0001-things', 'app/0002-more']);
  expect(await run()).toEqual([]);

  const client = createClickHouse(config);
  const result = await client.query({
    query: 'SELECT name FROM system.columns WHERE table = {t:String} AND database = {d:String}',
    query_params: { t: 'things', d: config.CLICKHOUSE_DATABASE },
    format: 'JSONEachRow',
  });
  expect(await result.json()).toEqual([{ name: 'n' }, { name: 's' }]);
  await client.close();
});

it('can run in several processes at once', async () => {
  await Promise.all([run(), run(), run()]);
  expect(await run()).toEqual([]);
});

it('refuses a file that was changed after it was applied', async () => {
  await run();
  await write('0001-things.sql', 'CREATE TABLE IF NOT EXISTS others (n UInt8) ENGINE = Memory;');
  await expect(run()).rejects.toThrow(MigrationError);
  await expect(run()).rejects.toThrow('app/0001-things.sql was changed');
});

it('refuses a file without a number', async () => {
  await write('things.sql', 'SELECT 1');
  await expect(run()).rejects.toThrow('things.sql is not named NNNN-<name>.sql');
});

it('names the file with a statement that ClickHouse refuses, and applies it again once it is right', async () => {
  await write('0003-wrong.sql', 'CREATE TABLE IF NOT EXISTS wrong (n Nonsense) ENGINE = Memory;');
  await expect(run()).rejects.toThrow(MigrationError);
  await expect(run()).rejects.toThrow('app/0003-wrong.sql was refused by ClickHouse');

  await write('0003-wrong.sql', 'CREATE TABLE IF NOT EXISTS wrong (n UInt8) ENGINE = Memory;');
  expect(await run()).toEqual(['app/0003-wrong']);
});
