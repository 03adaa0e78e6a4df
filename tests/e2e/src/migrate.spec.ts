import { randomUUID } from 'node:crypto';
import { runOperator } from '@sluice/testing';
import { expect, it } from 'vitest';
import { local, select } from './stack.js';

interface Migrated {
  topics: string[];
  migrations: string[];
  tableChanges: { table: string }[];
}

/** Runs `operator migrate` as a process, on a database other than the stack's. */
async function migrate(database: string, ...args: string[]): Promise<Migrated> {
  const { kafka, clickhouse } = local();
  const settings = {
    KAFKA_BROKERS: kafka.brokers.join(','),
    CLICKHOUSE_URL: clickhouse.url,
    CLICKHOUSE_DATABASE: database,
    CLICKHOUSE_DURABILITY: 'fsync',
    TABLE_TTL_DAYS: 'ad_requests=30,push_interactions=90',
  };
  const { stdout } = await runOperator(['migrate', '--json', ...args], settings);
  return JSON.parse(stdout) as Migrated;
}

const aDatabase = () => `migrate_${randomUUID().replaceAll('-', '')}`;
const tables = (database: string) =>
  select<{ name: string; engine_full: string }>(
    "SELECT name, engine_full FROM system.tables WHERE database = {database:String} AND name != 'schema_migrations'",
    { database },
  );

it('four processes can migrate at the same time', async () => {
  const database = aDatabase();
  const plan = await migrate(database, '--plan');
  await Promise.all(Array.from({ length: 4 }, () => migrate(database)));

  const createdTables = await tables(database);
  const stored = createdTables.filter(({ engine_full }) => engine_full.includes('MergeTree'));
  expect(stored.length).toBeGreaterThan(10);
  for (const { name, engine_full } of stored) expect(engine_full, name).toContain('fsync_after_insert = 1');
  expect(createdTables.find(({ name }) => name === 'ad_requests')?.engine_full).toContain('+ toIntervalDay(30)');
  const applied = await select<{ file: string }>(
    `SELECT concat(app, '/', name) AS file FROM ${database}.schema_migrations FINAL ORDER BY app, name`,
  );
  expect(applied.map(({ file }) => file)).toEqual(plan.migrations.toSorted());
  expect(await migrate(database)).toMatchObject({ migrations: [], tableChanges: [] });
});

it('--plan shows the changes and makes none', async () => {
  const database = aDatabase();
  const plan = await migrate(database, '--plan');
  expect(plan.migrations).toContain('tracking/0001-events');
  expect(new Set(plan.tableChanges.map(({ table }) => table))).toEqual(new Set(['ad_requests', 'push_interactions']));
  expect(plan.topics).toEqual([]);
  expect(await select('SELECT 1 FROM system.databases WHERE name = {database:String}', { database })).toEqual([]);
});
