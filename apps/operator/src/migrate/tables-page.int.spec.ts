import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { findMigrations } from '@sluice/operations';
import { findSqlExamples } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';

/** docs/tables.md, which is compared with the tables that the migrations create. */
const page = await readFile(new URL('../../../../docs/tables.md', import.meta.url), 'utf8');
const examples = findSqlExamples(page);

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `page_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);

beforeAll(async () => {
  await migrate(config, await findMigrations());
});
afterAll(() => client.close());

it('names every table and view, and each of their columns', async () => {
  const result = await client.query({
    query: `SELECT table, name FROM system.columns WHERE database = currentDatabase()
            AND table != 'schema_migrations' AND table NOT LIKE '%\\_from\\_%'`,
    format: 'JSONEachRow',
  });
  const columns = await result.json<{ table: string; name: string }>();

  expect(columns.length).toBeGreaterThan(100);
  const isNamed = (word: string): boolean => page.includes(`\`${word}\``);
  expect(columns.filter(({ table, name }) => !isNamed(table) || !isNamed(name))).toEqual([]);
});

it.each(examples)('has an example that runs: %s', async (query) => {
  const result = await client.query({ query, format: 'JSONEachRow' });
  expect(await result.json()).toEqual([]);
});
