import { randomUUID } from 'node:crypto';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeEach, expect, inject, it } from 'vitest';
import { createClickHouse } from '../connection/client.js';
import { type TableConfig } from '../connection/config.js';
import { type Migration } from './migration.js';
import { migrate, planMigrations } from './migrations.js';

const migrations: Migration[] = [
  {
    app: 'app',
    name: '0001-things',
    checksum: '0'.repeat(64),
    statements: [
      "CREATE TABLE IF NOT EXISTS things (n UInt8, received_at DateTime64(3, 'UTC')) ENGINE = MergeTree ORDER BY n",
      "CREATE TABLE IF NOT EXISTS others (n UInt8, received_at DateTime64(3, 'UTC')) ENGINE = MergeTree ORDER BY n",
    ],
  },
];
const server = createClickHouse({
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: 'default',
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
});
let config: TableConfig;

beforeEach(() => {
  config = {
    CLICKHOUSE_URL: inject('clickhouseUrl'),
    CLICKHOUSE_DATABASE: `db_${randomUUID().replaceAll('-', '')}`,
    CLICKHOUSE_USER: 'default',
    CLICKHOUSE_PASSWORD: '',
  };
});
afterAll(() => server.close());

async function select<T>(query: string): Promise<T[]> {
  const result = await server.query({
    query,
    query_params: { d: config.CLICKHOUSE_DATABASE },
    format: 'JSONEachRow',
  });
  return result.json<T>();
}
const readEngine = async (table: string): Promise<string> => {
  const tables = await select<{ name: string; engine_full: string }>(
    'SELECT name, engine_full FROM system.tables WHERE database = {d:String}',
  );
  return tables.find(({ name }) => name === table)?.engine_full ?? 'no such table';
};
const changed = async (more: Partial<TableConfig>) =>
  (await migrate({ ...config, ...more }, migrations)).tables.map(({ table, what: change }) => `${table}: ${change}`);

it('plans changes without making them', async () => {
  const changedConfig: TableConfig = {
    ...config,
    TABLE_TTL_DAYS: new Map([['things', 400]]),
    CLICKHOUSE_DURABILITY: 'fsync',
  };
  expect(await planMigrations(changedConfig, migrations)).toMatchObject({
    migrations: ['app/0001-things'],
    tables: [{ table: 'things', what: 'rows stay for 400 days after their arrival' }, { table: 'things' }],
  });
  expect(await select('SELECT 1 FROM system.databases WHERE name = {d:String}')).toEqual([]);

  await migrate(config, migrations);
  const plan = await planMigrations(changedConfig, migrations);
  expect(plan.migrations).toEqual([]);
  expect(plan.tables.map(({ statement }) => statement)).toEqual([
    'ALTER TABLE others MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1',
    'ALTER TABLE things MODIFY TTL toDateTime(received_at) + toIntervalDay(400)',
    'ALTER TABLE things MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1',
  ]);
  expect(await readEngine('things')).not.toContain('TTL');
});

it('sets the TTL of a table once, keeps it while none is configured, and removes it for "never"', async () => {
  const days = new Map([['things', 400]]);
  expect(await changed({ TABLE_TTL_DAYS: days })).toEqual(['things: rows stay for 400 days after their arrival']);
  expect(await readEngine('things')).toContain('TTL toDateTime(received_at) + toIntervalDay(400)');
  expect(await changed({ TABLE_TTL_DAYS: days })).toEqual([]);

  expect(await changed({})).toEqual([]);
  expect(await readEngine('things')).toContain('toIntervalDay(400)');
  expect(await changed({ TABLE_TTL_DAYS: new Map([['things', 'never' as const]]) })).toHaveLength(1);
  expect(await readEngine('things')).not.toContain('TTL');
});

it('refuses a TTL for a table that does not exist', async () => {
  const days = new Map([['thigns', 400]]);
  await expect(changed({ TABLE_TTL_DAYS: days })).rejects.toThrow('TABLE_TTL_DAYS: there is no table thigns');
});

it('has rows on disk before an INSERT is answered, with CLICKHOUSE_DURABILITY=fsync', async () => {
  const syncs = async (): Promise<Record<string, number>> => {
    const events = await select<{ event: string; n: number }>(
      "SELECT event, toUInt32(value) AS n FROM system.events WHERE event IN ('FileSync', 'DirectorySync')",
    );
    return { FileSync: 0, DirectorySync: 0, ...Object.fromEntries(events.map(({ event, n }) => [event, n])) };
  };
  const insert = () =>
    server.command({ query: `INSERT INTO ${config.CLICKHOUSE_DATABASE}.things VALUES (1, now64(3))` });

  await migrate({ ...config, CLICKHOUSE_DURABILITY: 'fsync' }, migrations);
  const before = await syncs();
  await insert();
  const after = await syncs();
  expect(after['FileSync']).toBeGreaterThan(before['FileSync'] ?? 0);
  expect(after['DirectorySync']).toBeGreaterThan(before['DirectorySync'] ?? 0);

  expect(await changed({ CLICKHOUSE_DURABILITY: 'none' })).toHaveLength(2);
  expect(await readEngine('things')).not.toContain('fsync');
});

it('refuses a cluster that the server does not know', async () => {
  const cluster = { ...config, CLICKHOUSE_CLUSTER: 'nowhere' };
  await expect(migrate(cluster, migrations)).rejects.toThrow(
    'CLICKHOUSE_CLUSTER: ClickHouse knows no cluster "nowhere"',
  );
});
