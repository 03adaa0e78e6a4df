import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, schemaDifferences } from '@sluice/clickhouse';
import { findMigrations } from '@sluice/operations';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ShardServers } from './shard-servers.js';

const migrations = await findMigrations();
let folder: string;
let servers: ShardServers;
let config: Parameters<typeof migrate>[0];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-repairs-'));
  servers = new ShardServers(folder);
  await servers.add();
  await servers.add();
  await servers.announceAll();
  config = {
    CLICKHOUSE_URL: servers.url('a'),
    CLICKHOUSE_DATABASE: 'sluice',
    CLICKHOUSE_USER: 'default',
    CLICKHOUSE_PASSWORD: '',
    CLICKHOUSE_SHARDS: new Map(servers.names.map((name) => [name, servers.url(name)])),
    CLICKHOUSE_SHARDS_CLUSTER: 'shards',
  };
  await migrate(config, migrations);
});
afterAll(async () => {
  await servers.stop();
  await rm(folder, { recursive: true });
});

it.each([
  ['a view', 'DROP VIEW sluice.sessions', 'b: sessions: missing view'],
  ['a table that every shard has', 'DROP TABLE sluice.sellers', 'b: sellers: missing table'],
  ['the table that reads all shards', 'DROP TABLE sluice.events', 'b: events: missing table'],
  ['the table of the shard', 'DROP TABLE sluice_shard.events', 'b: events: missing table'],
  [
    'a column of the shard',
    'ALTER TABLE sluice_shard.events DROP COLUMN violations',
    'b: events: missing column violations',
  ],
  [
    'a column of the table that reads all shards',
    'ALTER TABLE sluice.events DROP COLUMN violations',
    'b: events: lacks columns of its shards',
  ],
])('repairs %s', async (_, damage, difference) => {
  expect(await schemaDifferences(config, migrations)).toEqual([]);
  await servers.command('b', damage);
  expect(await schemaDifferences(config, migrations)).toEqual([difference]);
  const { repairs } = await migrate(config, migrations);
  expect(repairs.map(({ table, problem }) => `${table}: ${problem}`)).toEqual([difference]);
  expect(await schemaDifferences(config, migrations)).toEqual([]);
  expect(await servers.select('b', 'SELECT count() AS n, any(violations) AS v FROM sluice.events')).toHaveLength(1);
});
