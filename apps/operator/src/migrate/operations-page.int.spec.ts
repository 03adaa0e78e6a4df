import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { findMigrations } from '@sluice/operations';
import { findSqlExamples } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';

/** docs/upgrades.md, whose statements are tested on the tables that the migrations create. */
const page = await readFile(new URL('../../../../docs/upgrades.md', import.meta.url), 'utf8');
const statement = (beginning: string): string => {
  const example = findSqlExamples(page).find((sql) => sql.startsWith(beginning));
  if (example === undefined) throw new Error(`docs/upgrades.md has no statement ${beginning} …`);
  return example;
};

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `restored_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
/** Client that also works while the database does not exist. */
const outside = createClickHouse(config, 'default');

beforeAll(async () => {
  await migrate(config, await findMigrations());
});
afterAll(() => Promise.all([client.close(), outside.close()]));

async function traits(): Promise<unknown[]> {
  const query = 'SELECT user_id, anonymous_id, traits, updated_at FROM user_traits ORDER BY user_id, anonymous_id';
  return (await client.query({ query, format: 'JSONEachRow' })).json();
}

it('restores users from identifies with the same result as its materialized view', async () => {
  const identify = (user_id: string, anonymous_id: string, columns: object, day: number) => ({
    source_id: 'AbCdEf123456',
    user_id,
    anonymous_id,
    traits: columns,
    message_id: randomUUID(),
    timestamp: `2026-03-0${day} 00:00:00`,
    received_at: '2026-03-09 00:00:00',
    request_id: randomUUID(),
  });
  const values = [
    identify('u', 'a', { plan: 'pro', address: { city: 'Köln' } }, 2),
    identify('u', 'b', { plan: 'free', name: 'Zoë' }, 1),
    identify('', 'c', { name: 'nobody' }, 3),
  ];
  await client.insert({ table: 'identifies', values, format: 'JSONEachRow' });
  const before = await traits();
  expect(before).toHaveLength(2);

  await client.command({ query: 'TRUNCATE TABLE users' });
  expect(await traits()).toEqual([]);
  await client.command({ query: statement('INSERT INTO users') });
  expect(await traits()).toEqual(before);
  await client.command({ query: statement('INSERT INTO users') });
  expect(await traits()).toEqual(before);
});

it('backs up and restores a database with the documented statements', async () => {
  const [backup, restore] = [statement('BACKUP DATABASE'), 'RESTORE DATABASE sluice FROM'];
  const name = `'${config.CLICKHOUSE_DATABASE}'`;
  expect(page).toContain(restore);
  const adaptStatement = (sql: string): string =>
    sql.replace('DATABASE sluice', `DATABASE ${config.CLICKHOUSE_DATABASE}`).replace(/'.*'/, name);
  const before = await traits();

  await outside.command({ query: adaptStatement(backup) });
  await outside.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE} SYNC` });
  await outside.command({ query: adaptStatement(`${restore} File('name')`) });

  expect(await traits()).toEqual(before);
});
