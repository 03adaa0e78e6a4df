import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { type EventDetail, type EventList, type SearchResult } from '@sluice/console-api';
import { findMigrations } from '@sluice/operations';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { TestConsole } from '../test-console.spec-support.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `events_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const clickhouse = createClickHouse(config);
const source = 'AbCdEf123456';
const now = Date.now();
const dayMs = 86_400_000;
let offset = 0;
let site: TestConsole;
let masked: { cookie: string };
let open: { cookie: string };

const base = (at = now - 60_000) => ({
  source_id: source,
  message_id: randomUUID(),
  request_id: randomUUID(),
  timestamp: at,
  received_at: at,
  kafka_partition: 1,
  kafka_offset: offset++,
  kafka_timestamp: at,
});
const track = (user_id: string, event: string, properties: object = {}, at?: number) => ({
  ...base(at),
  user_id,
  anonymous_id: '',
  event,
  properties,
  context: {},
});

beforeAll(async () => {
  await migrate(config, await findMigrations());
  const put = (table: string, values: object[]) => clickhouse.insert({ table, values, format: 'JSONEachRow' });
  // Many rows of one millisecond, as a batch has them.
  await put('events', [
    ...Array.from({ length: 25 }, (_, i) => track('user-1', 'viewed', { n: i })),
    track('ann@shop.example', 'bought', { email: 'secret-mail@shop.example', note: 'needle', total: 5 }),
    track('user-2', 'bought', { total: 7 }, now - 3 * dayMs),
    track('user-2', 'too_old', {}, now - 9 * dayMs),
  ]);
  await put('identifies', [{ ...base(), user_id: 'user-2', anonymous_id: 'anon-2', traits: { plan: 'gold' } }]);
  await put('products', [{ ...base(), product_id: 'product-7', name: 'Needle threader' }]);
  const device = { ...base(), device_id: 'device-1', key: 'push-token-1', user_id: 'user-2', anonymous_id: '' };
  await put('push_devices', [device]);
  site = await TestConsole.start({ CLICKHOUSE_DATABASE: config.CLICKHOUSE_DATABASE });
  [masked, open] = [await site.signIn('viewer'), await site.signIn('viewer', true)];
}, 60_000);
afterAll(async () => {
  await site.stop();
  await clickhouse.close();
});

async function listed(query: string, { cookie } = open): Promise<EventList> {
  const answer = await site.ask('GET', `/api/events?${query}`, { cookie });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<EventList>();
}

it('finds what a user sent, of all kinds, of the last seven days', async () => {
  const { rows, next } = await listed('user=user-2');
  expect(rows.map(({ event }) => event)).toEqual(expect.arrayContaining(['identify', 'device', 'bought']));
  expect(rows).toHaveLength(3);
  expect(next).toBeNull();
  expect((await listed('user=anon-2')).rows).toMatchObject([{ event: 'identify', user: 'user-2' }]);
  expect((await listed('event=product')).rows).toMatchObject([{ entity: 'product-7', table: 'products' }]);
  expect((await listed('source=nobody')).rows).toEqual([]);
});

it('pages through rows of one millisecond without losing or repeating one', async () => {
  const seen: string[] = [];
  let before = '';
  do {
    const { rows, next } = await listed(`event=viewed&limit=10${before}`);
    seen.push(...rows.map(({ id }) => id));
    before = next === null ? '' : `&before=${encodeURIComponent(next)}`;
  } while (before !== '');
  expect(seen).toHaveLength(25);
  expect(new Set(seen).size).toBe(25);
});

it('finds text in rows', async () => {
  expect((await listed('text=NEEDLE')).rows.map(({ event }) => event).toSorted()).toEqual(['bought', 'product']);
  expect((await listed('text=secret-mail')).rows).toHaveLength(1);
});

it('reveals nothing of what is masked to a reader of masked payloads, by any filter', async () => {
  const isMail = expect.stringMatching(/^‹email, 16,/) as string;
  expect((await listed('text=needle&event=bought', masked)).rows).toMatchObject([{ event: 'bought', user: isMail }]);
  expect((await listed('text=secret-mail', masked)).rows).toEqual([]);
  expect((await listed('text=ann@', masked)).rows).toEqual([]);
  const ask = (query: string) => site.ask('GET', `/api/events?${query}`, masked);
  expect((await ask('user=ann@shop.example')).statusCode).toBe(403);
  expect((await listed('user=user-1', masked)).rows).toHaveLength(25);

  const [row] = (await listed('text=needle&event=bought', masked)).rows;
  const shown = await site.ask('GET', `/api/events/${row?.id ?? ''}`, masked);
  expect(shown.body).not.toMatch(/ann@|secret-mail/);
  const detail = (await site.ask('GET', `/api/events/${row?.id ?? ''}`, open)).json<EventDetail>();
  expect(JSON.parse(detail.payload.json)).toMatchObject({ properties: { email: 'secret-mail@shop.example' } });
});

it('shows no push token', async () => {
  const [row] = (await listed('event=device')).rows;
  const { body } = await site.ask('GET', `/api/events/${row?.id ?? ''}`, open);
  expect(body).toContain('device-1');
  expect(body).not.toContain('push-token-1');
});

it('searches users, events, requests and sources by name', async () => {
  const search = async (q: string, { cookie } = open) =>
    (await site.ask('GET', `/api/search?q=${encodeURIComponent(q)}`, { cookie })).json<SearchResult>();
  expect(await search('user-2')).toMatchObject({ problems: [], hits: [{ kind: 'user', to: '/events?user=user-2' }] });
  expect((await search('boug')).hits).toMatchObject([{ kind: 'event', title: 'bought', detail: '2 in 7 days' }]);
  expect((await search('ann@shop.example')).hits).toMatchObject([{ kind: 'user' }]);
  expect((await search('ann@shop.example', masked)).hits).toEqual([]);
  expect((await search('0190a1b2-1234-7123-8123-123456789012')).hits).toMatchObject([{ kind: 'request' }]);
  expect((await search(randomUUID())).hits).toEqual([]);
  const editor = await site.signIn('editor');
  const body = { name: 'Corner shop', type: 'tracking-api' };
  await site.ask('POST', '/api/sources', { cookie: editor.cookie, body });
  expect((await search('corner')).hits).toMatchObject([{ kind: 'source', title: 'Corner shop' }]);
});

it('runs three searches of one person at once, and more when they have ended', async () => {
  const search = ({ cookie } = open) => site.ask('GET', '/api/search?q=boug', { cookie });
  const answers = await Promise.all([...Array.from({ length: 25 }, () => search()), search(masked)]);
  const statuses = answers.map(({ statusCode }) => statusCode);
  expect(statuses.at(-1)).toBe(200);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect(answers.find(({ statusCode }) => statusCode === 429)?.headers['retry-after']).toBe('5');
  expect((await search()).statusCode).toBe(200);
});

it('refuses what is not a filter', async () => {
  for (const query of ['before=x', 'limit=501', 'topic=audit.v1', 'request=1', 'from=yesterday']) {
    expect((await site.ask('GET', `/api/events?${query}`, open)).statusCode, query).toBe(400);
  }
  for (const id of ['x', 'audit.v1:0:0', 'tracking.track.v1:0:99999999']) {
    expect((await site.ask('GET', `/api/events/${id}`, open)).statusCode, id).toBe(404);
  }
});
