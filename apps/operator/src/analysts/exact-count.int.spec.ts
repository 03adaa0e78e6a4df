import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { findMigrations } from '@sluice/operations';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeAll, expect, inject, it } from 'vitest';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `counts_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
const large = 'LargeRows123';
const largeRows = 90;

beforeAll(async () => {
  await migrate(config, await findMigrations());
  const insert = (rows: string) =>
    client.command({
      query: `INSERT INTO events (source_id, event, timestamp, received_at, user_id, message_id, properties) ${rows}`,
    });
  const time = `toDateTime64('2026-11-24 10:00:00', 3, 'UTC')`;
  await insert(`SELECT ['Ahead1234567', 'Zbehind12345'][number % 2 + 1], concat('e', toString(number % 12)), ${time}, ${time},
    toString(number), generateUUIDv4(), '{}' FROM numbers(3400)`);
  for (let n = 0; n < 3; n++)
    await insert(`SELECT '${large}', 'big', ${time}, ${time}, toString(number), generateUUIDv4(),
      concat('{"text":"', repeat('x', 400000), '"}') FROM numbers(${largeRows / 3})`);
  await client.command({ query: 'OPTIMIZE TABLE events FINAL' });
}, 60_000);
afterAll(async () => {
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await client.close();
});

const conditions = [
  `source_id = '${large}'`,
  `source_id = '${large}' AND event = 'big'`,
  `source_id = '${large}' AND toDate(timestamp) = '2026-11-24'`,
];

it.each(conditions)("Sluice's own client counts rows of 400 KB exactly: %s", async (condition) => {
  const result = await client.query({ query: `SELECT count() FROM events WHERE ${condition}`, format: 'TabSeparated' });
  expect((await result.text()).trim()).toBe(String(largeRows));
});

it.each(conditions)('the profile of docs/tables.md counts rows of 400 KB exactly: %s', async (condition) => {
  const page = await readFile(new URL('../../../../docs/tables.md', import.meta.url), 'utf8');
  const [, settings = ''] = /^CREATE SETTINGS PROFILE \w+ SETTINGS (.*)$/m.exec(page) ?? [];
  const url = new URL(config.CLICKHOUSE_URL);
  url.searchParams.set('database', config.CLICKHOUSE_DATABASE);
  const body = `SELECT count() FROM events WHERE ${condition} SETTINGS ${settings.replace(/, readonly = \d;?$/, '')}`;
  const answer = await fetch(url, { method: 'POST', body });
  expect((await answer.text()).trim()).toBe(String(largeRows));
});
