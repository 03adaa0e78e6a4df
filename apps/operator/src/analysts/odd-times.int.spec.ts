import { randomUUID } from 'node:crypto';
import { createClient } from '@clickhouse/client';
import { migrate } from '@sluice/clickhouse';
import { findMigrations } from '@sluice/operations';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeAll, expect, inject, it } from 'vitest';

// Earlier gateways took times up to 2199, which have a day of another century: docs/decisions/0079-times.md.

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `times_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
// An analyst's client, without the settings of Sluice's own.
const client = createClient({ url: config.CLICKHOUSE_URL, database: config.CLICKHOUSE_DATABASE });
const rows = async <T>(query: string): Promise<T[]> => (await client.query({ query, format: 'JSONEachRow' })).json<T>();
const countRows = async (query: string): Promise<number> => Number((await rows<{ n: string }>(query))[0]?.n);

const oddTimes = [
  '1969-12-31 10:00:00.000',
  '2149-06-07 00:00:00.000',
  '2150-01-01 00:00:00.000',
  '2199-12-31 23:59:59.999',
];
const edges = ['1970-01-01 00:00:00.000', '2149-06-06 23:59:59.999'];

beforeAll(async () => {
  const migrations = await findMigrations();
  const isNew = ({ app, name }: (typeof migrations)[number]) =>
    (app === 'tracking' && name > '0015') || (app === 'catalog' && name > '0007');
  await migrate(
    config,
    migrations.filter((migration) => !isNew(migration)),
  );
  const today = new Date().toISOString().slice(0, 10);
  const values = [...Array.from({ length: 100 }, () => `${today} 00:00:00.000`), ...edges].map((time) => [
    'good',
    time,
  ]);
  const odd = oddTimes.map((time) => ['bad', time]);
  for (const list of [values, odd]) {
    const tuples = list.map(([source, time]) => `('${source}', 'e', '${time}', 'u', generateUUIDv4(), '{}', now64(3))`);
    await client.command({
      query: `INSERT INTO events (source_id, event, timestamp, user_id, message_id, properties, received_at) VALUES ${tuples.join()}`,
    });
  }
  await client.command({ query: 'OPTIMIZE TABLE events FINAL' });
  await migrate(config, migrations);
});
afterAll(async () => {
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await client.close();
});

it('an odd time of one source hides no row of another from conditions on the day', async () => {
  const ofGood = "SELECT count() AS n FROM events WHERE source_id = 'good' AND";
  expect(await countRows(`${ofGood} toDate(timestamp) = today()`)).toBe(100);
  expect(await countRows(`${ofGood} toDate(timestamp) BETWEEN today() - 7 AND today() + 1`)).toBe(100);
  await client.command({ query: 'OPTIMIZE TABLE events FINAL' });
  expect(await countRows(`${ofGood} toDate(timestamp) = today()`)).toBe(100);
});

it('events count on their own day or on none', async () => {
  const days = await rows<{ source_id: string; text: string }>(
    'SELECT source_id, toString(day) AS text FROM event_counts WHERE day != today() ORDER BY day',
  );
  expect(days).toEqual(edges.map((edge) => ({ source_id: 'good', text: edge.slice(0, 10) })));
  const wholeRange = "retention(source = 'bad', from = '1960-01-01', to = '2299-01-01')";
  expect(await rows(`SELECT first_day, days_later, people FROM ${wholeRange}`)).toEqual([]);
  const good = wholeRange.replace('bad', 'good');
  expect(await rows(`SELECT toString(first_day) AS day, people FROM ${good} WHERE days_later > 60000`)).toEqual([
    { day: '1970-01-01', people: 1 },
  ]);
});
