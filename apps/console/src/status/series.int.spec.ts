import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { type Overview, type RefusedList, type SourceDetail } from '@sluice/console-api';
import { findMigrations } from '@sluice/operations';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { TestConsole } from '../test-console.spec-support.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `series_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const clickhouse = createClickHouse(config);
/** A minute of the past, in steps of five seconds. */
const start = Math.floor(Date.now() / 60_000) * 60_000 - 600_000;
let site: TestConsole;
let cookie: string;
let source: string;
let keyId: string;

const count = (counted: string, second: number, requests: number, change: object = {}) => ({
  source_id: '',
  kind: 'count',
  counted,
  reason: '',
  requests,
  message_id: randomUUID(),
  request_id: randomUUID(),
  received_at: start + second * 1_000,
  ...change,
});
const product = (id: string, second: number) => ({
  source_id: source,
  product_id: id,
  request_id: randomUUID(),
  kafka_partition: 0,
  kafka_offset: second,
  received_at: start + second * 1_000,
  stored_at: start + second * 1_000,
  kafka_timestamp: start,
});

beforeAll(async () => {
  await migrate(config, await findMigrations());
  site = await TestConsole.start({ CLICKHOUSE_DATABASE: config.CLICKHOUSE_DATABASE });
  ({ cookie } = await site.signIn('editor'));
  const made = await site.ask('POST', '/api/sources', { cookie, body: { name: 'Catalog', type: 'catalog-api' } });
  const others = Array.from({ length: 10 }, (_, index) => ({ name: `Other ${index}`, type: 'tracking-api' }));
  for (const body of others) await site.ask('POST', '/api/sources', { cookie, body });
  const created = made.json<{ source: { sourceIdentifier: string }; keyId: string }>();
  [source, keyId] = [created.source.sourceIdentifier, created.keyId];
  const put = (table: string, values: object[]) => clickhouse.insert({ table, values, format: 'JSONEachRow' });
  await put('refused_requests', [
    ...[0, 5, 10, 15, 30].map((second) => count('accepted', second, 0)),
    count('accepted', 5, 50, { source_id: source }),
    count('accepted', 10, 20, { source_id: source }),
    count('refused', 11, 5, { source_id: source, reason: 'error.request.malformed' }),
    count('key', 12, 1, { source_id: source, reason: keyId }),
  ]);
  // Only two of the accepted products are stored, as if the consumer stood still.
  await put('products', [product('a', 6), product('b', 7)]);
}, 60_000);
afterAll(async () => {
  await site.stop();
  await clickhouse.close();
});

const range = `from=${new Date(start).toISOString()}&to=${new Date(start + 60_000).toISOString()}`;

it('shows what gateways accepted, of all kinds, and ends its lines where the data end', async () => {
  const answer = await site.ask('GET', `/api/overview?${range}`, { cookie });
  expect(answer.statusCode, answer.body).toBe(200);
  const { series, sources, enabledSources } = answer.json<Overview>();
  expect(series.stepSeconds).toBe(5);
  // No gateway reported from 20 s to 30 s, and from 35 s on nothing is known: neither is 0.
  expect(series.accepted).toEqual([0, 10, 4, 0, null, null, 0, null, null, null, null, null]);
  expect(series.refused).toEqual([0, 0, 1, 0, null, null, 0, null, null, null, null, null]);
  expect(series.stored.slice(0, 4)).toEqual([0, 0.4, 0, 0]);
  expect(series.knownUntil?.accepted).toBe(new Date(start + 35_000).toISOString());
  expect(series.outages).toEqual([]);
  // Other specs make sources on the same Kafka, which sent nothing to these tables.
  expect(sources[0]).toMatchObject({
    sourceIdentifier: source,
    ...{ name: 'Catalog', events: 2, refused: 5, newestReceived: new Date(start + 7_000).toISOString() },
  });
  expect(sources).toHaveLength(10);
  expect(enabledSources).toBeGreaterThan(10);
});

it('says when a key was last used, and lists no accepted requests as refused', async () => {
  const detail = (await site.ask('GET', `/api/sources/${source}?${range}`, { cookie })).json<SourceDetail>();
  expect(detail.keys).toMatchObject([{ keyId, lastUsedAt: new Date(start + 12_000).toISOString() }]);
  expect(detail.series?.accepted.slice(0, 3)).toEqual([0, 10, 4]);
  const { groups } = (await site.ask('GET', `/api/refused?${range}`, { cookie })).json<RefusedList>();
  expect(groups).toMatchObject([{ reason: 'error.request.malformed', count: 5, sourceName: 'Catalog' }]);
});

it('counts of a step that has not ended only what is known of it', async () => {
  const newest = Math.floor(Date.now() / 5_000) * 5_000;
  const ages = Array.from({ length: 24 }, (_, index) => index * 5_000);
  const at = (age: number): object => ({ received_at: newest - age });
  await clickhouse.insert({
    table: 'refused_requests',
    values: ages.flatMap((age) => [
      count('accepted', 0, 0, at(age)),
      count('accepted', 0, 10, { source_id: source, ...at(age) }),
      count('refused', 0, 5, { source_id: source, reason: 'error.request.malformed', ...at(age) }),
    ]),
    format: 'JSONEachRow',
  });

  const from = new Date(newest - 3_600_000).toISOString();
  const detail = (await site.ask('GET', `/api/sources/${source}?from=${from}`, { cookie })).json<SourceDetail>();

  const { stepSeconds, times = [], accepted = [], refused = [] } = detail.series ?? {};
  expect(stepSeconds).toBe(30);
  const whole = times.flatMap((time, index) =>
    time * 1_000 >= newest - 115_000 && accepted[index] !== null ? [[accepted[index], refused[index]]] : [],
  );
  expect(whole.length).toBeGreaterThan(2);
  expect(whole).toEqual(whole.map(() => [2, 1]));
});
