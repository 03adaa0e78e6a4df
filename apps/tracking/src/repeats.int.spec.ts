import { randomUUID } from 'node:crypto';
import { BlockWriter, createClickHouse, migrate, readMigrations } from '@sluice/clickhouse';
import {
  adRequestTopic,
  header,
  identifyTopic,
  refusedMessageTopic,
  refusedTopic,
  type Topic,
  trackTopic,
} from '@sluice/contracts';
import { type Block } from '@sluice/kafka';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { AdRequestsController } from './ad-requests.controller.js';
import { SystemController } from './system.controller.js';
import { TrackingController } from './tracking.controller.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `repeats_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
const writer = new BlockWriter(client);
const tracking = new TrackingController(writer);
const adRequests = new AdRequestsController(writer);
const system = new SystemController(writer);

beforeAll(async () => {
  await migrate(config, await readMigrations('tracking', new URL('../migrations/', import.meta.url)));
});
afterAll(() => writer.close());
beforeEach(async () => {
  for (const table of ['events', 'identifies', 'ad_requests'])
    await client.command({ query: `TRUNCATE TABLE ${table}` });
});

const dayMs = 86_400_000;
const now = Date.parse('2026-11-22T05:10:00.123Z');
const iso = (ms: number): string => new Date(ms).toISOString();

interface RowFields {
  readonly id: string;
  readonly person?: object;
  readonly source?: string;
  readonly timestamp?: number;
  readonly receivedAt?: number;
  readonly rest?: object;
}

/** A row as the gateway writes it. The default of its timestamp is the time of its arrival. */
const aRow = ({ id, person, source, timestamp, receivedAt = now, rest }: RowFields): object => ({
  source_id: source ?? 'TestSource12',
  request_id: randomUUID(),
  received_at: iso(receivedAt),
  message_id: id,
  ...(person ?? { user_id: 'user-1' }),
  timestamp: iso(timestamp ?? receivedAt),
  ...(rest ?? { event: 'search', properties: { n: 1 } }),
});

let offset = 0;
/** A block of messages that are all marked as possible repeats, like messages with an Idempotency-Key. */
function marked(topic: Topic, rows: readonly object[], partition = 0): Block {
  const messages = rows.map((row) => ({
    key: null,
    value: Buffer.from(JSON.stringify(row)),
    headers: { [header.contract]: topic.contract, [header.possibleRepeat]: '1' },
    offset: String(offset++),
    timestamp: '1700000000012',
  }));
  return { id: randomUUID(), replay: false, topic: topic.name, partition, messages };
}

const storeEvents = (...rows: object[]) => tracking.storeEvents(marked(trackTopic, rows));

async function count(table: string, expression = 'count()'): Promise<number> {
  const result = await client.query({
    query: `SELECT toUInt32(${expression}) AS n FROM ${table}`,
    format: 'JSONEachRow',
  });
  const [row] = await result.json<{ n: number }>();
  return row?.n ?? 0;
}

it('recognises a message with its own timestamp that arrives again after 40 days', async () => {
  const [id, timestamp] = [randomUUID(), now - 41 * dayMs];
  await storeEvents(aRow({ id, timestamp, receivedAt: now - 40 * dayMs }));
  await storeEvents(aRow({ id, timestamp }));
  expect(await count('events')).toBe(1);
});

it("recognises a repeat when only one of the two has a timestamp, equal to the other's arrival", async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  await storeEvents(aRow({ id: first, receivedAt: now - 40 * dayMs }));
  await storeEvents(aRow({ id: first, timestamp: now - 40 * dayMs }));
  await storeEvents(aRow({ id: second, timestamp: now, receivedAt: now - 3 * dayMs }));
  await storeEvents(aRow({ id: second }));
  expect(await count('events')).toBe(2);
});

it('recognises a message without a timestamp for 8 days', async () => {
  const ids = Array.from({ length: 9 }, () => randomUUID());
  await storeEvents(...ids.map((id, days) => aRow({ id, receivedAt: now - days * dayMs })));
  await storeEvents(...ids.map((id) => aRow({ id })));
  expect(await count('events')).toBe(9);
});

it.each([
  ['a user', { user_id: 'user-2' }],
  ['an anonymous id', { anonymous_id: 'anonymous-2' }],
  ['both', { user_id: 'user-2', anonymous_id: 'anonymous-2' }],
  ['text with escapes', { user_id: 'a "quoted" \\ name' }],
  ['text that is not ASCII', { user_id: 'Jürgen-کاربر-🙂' }],
  ['a long id', { user_id: 'ü'.repeat(1_500) }],
  ['nobody', {}],
])('recognises messages of %s with members in any order, and stores other messages', async (_, person) => {
  const ids = [randomUUID(), randomUUID()];
  const rows = ids.map((id, n) => aRow({ id, person, ...(n === 0 && { timestamp: now - 3 * dayMs }) }));
  const otherRow = aRow({ id: randomUUID(), person });
  await storeEvents(...rows);
  await storeEvents(...rows.map((row) => Object.fromEntries(Object.entries(row).toReversed())), otherRow);
  await storeEvents(...rows, otherRow);
  expect(await count('events')).toBe(3);
});

it.each([
  ['in whole seconds', '2026-11-22T05:10:00Z'],
  ['with an offset', '2026-11-22T06:40:00.5+01:30'],
  ['in microseconds', '2026-11-22T05:10:00.123456Z'],
  ['as a number', 1_763_788_200],
])('recognises rows of other producers whose time is written %s', async (_, timestamp) => {
  const row = { ...aRow({ id: randomUUID() }), timestamp };
  await storeEvents(row);
  await storeEvents(row, { ...row, received_at: iso(now + dayMs) });
  expect(await count('events')).toBe(1);
});

it('stores each message once in blocks with many sources, events, days and persons', async () => {
  const rows = Array.from({ length: 5_000 }, (_, n) =>
    aRow({
      id: randomUUID().toUpperCase(),
      source: `TestSource${10 + (n % 7)}`,
      person: { user_id: `user-${n % 900}` },
      ...(n % 3 > 0 && { timestamp: now - (n % 400) * dayMs - n * 1_000 }),
      rest: { event: `event_${n % 11}` },
    }),
  );
  const evenRows = rows.filter((_, n) => n % 2 === 0);
  await storeEvents(...evenRows, ...evenRows);
  await storeEvents(...rows, ...rows.toReversed());
  expect([await count('events'), await count('events', 'uniqExact(message_id)')]).toEqual([5_000, 5_000]);
});

it('recognises a repeat from another Kafka partition, because partitions can be added', async () => {
  const rows = [aRow({ id: randomUUID(), timestamp: now - dayMs }), aRow({ id: randomUUID() })];
  await tracking.storeEvents(marked(trackTopic, rows, 3));
  await tracking.storeEvents(marked(trackTopic, rows, 15));
  expect(await count('events')).toBe(2);
});

it('recognises repeats of rows stored before the migration for repeats', async () => {
  const [ownId, plainId] = [randomUUID(), randomUUID()];
  for (const query of [
    'ALTER TABLE events DROP PROJECTION by_message SETTINGS mutations_sync = 2',
    'ALTER TABLE events DROP COLUMN repeat_bucket SETTINGS mutations_sync = 2',
  ])
    await client.command({ query });
  const first = [aRow({ id: ownId, timestamp: now - 40 * dayMs }), aRow({ id: plainId })].map((row) =>
    JSON.stringify(row),
  );
  await client.command({ query: `INSERT INTO events FORMAT JSONEachRow ${first.join('\n')}` });
  const repeats = [
    aRow({ id: ownId, timestamp: now - 40 * dayMs, receivedAt: now + dayMs }),
    aRow({ id: plainId, receivedAt: now + dayMs }),
  ];
  const migrations = await readMigrations('tracking', new URL('../migrations/', import.meta.url));
  const statements = migrations.find(({ name }) => name === '0007-repeats')?.statements ?? [];
  expect(statements).toHaveLength(6);
  for (const query of statements) await client.command({ query });

  await storeEvents(...repeats);
  await client.command({
    query: 'ALTER TABLE events MATERIALIZE PROJECTION by_message SETTINGS mutations_sync = 2',
  });
  await storeEvents(...repeats);

  expect(await count('events')).toBe(2);
});

it('recognises repeats of identifies and ad requests', async () => {
  const [ownId, plainId, ad] = [randomUUID(), randomUUID(), randomUUID()];
  const [earlier, early] = [now - 40 * dayMs, now - 8 * dayMs];
  const traitColumns = { traits: { plan: 'pro' } };
  const endpoint = (receivedAt: number) => ({
    source_id: 'TestSource12',
    request_id: randomUUID(),
    received_at: iso(receivedAt),
    message_id: ad,
    endpoint: 'ad',
    body: { received_at: 'never' },
  });
  const storeIdentifies = (...rows: object[]) => tracking.storeIdentifies(marked(identifyTopic, rows));
  await storeIdentifies(
    aRow({ id: ownId, timestamp: earlier, receivedAt: earlier + 5, rest: traitColumns }),
    aRow({ id: plainId, receivedAt: early, rest: traitColumns }),
  );
  await storeIdentifies(
    aRow({ id: ownId, timestamp: earlier, rest: traitColumns }),
    aRow({ id: plainId, rest: traitColumns }),
  );
  await adRequests.store(marked(adRequestTopic, [endpoint(early)]));
  await adRequests.store(marked(adRequestTopic, [endpoint(now)]));
  expect([await count('identifies'), await count('ad_requests')]).toEqual([2, 1]);
});

it('keeps a refused message once, also when it comes again under its Idempotency-Key days later', async () => {
  const refused = (id: string, receivedAt: number) => ({
    source_id: 'TestSource12',
    request_id: randomUUID(),
    received_at: iso(receivedAt),
    message_id: id,
    user_id: 'user-1',
    timestamp: iso(receivedAt),
    kind: 'track',
    event: 'order_completed',
    reason: 'plan',
    plan_version: 3,
    violations: ['wrong_type:total'],
    problems: '[]',
    body: '{"userId":"user-1","event":"order_completed","properties":{"total":"ten \\"euros\\""}}',
  });
  const today = Date.now();
  const [first, second] = [randomUUID(), randomUUID()];
  const store = (...rows: object[]) => tracking.storeRefused(marked(refusedMessageTopic, rows));
  expect(await store(refused(first, today - 8 * dayMs), refused(second, today))).toEqual([]);
  await store(refused(first, today), refused(second, today), refused(second, today));

  const result = await client.query({
    query: 'SELECT toString(message_id) AS id, violations, body FROM refused_messages ORDER BY received_at',
    format: 'JSONEachRow',
  });
  const { body, violations } = refused(first, today);
  expect(await result.json()).toEqual([first, second].map((id) => ({ id, violations, body })));
});

it('recognises repeats of ad requests of 9,000 sources, and of a source of 140,000 characters', async () => {
  const odd = ['x'.repeat(140_000), "'\\\t\n\r\n--sluice-external-table--\0"];
  const askedRows = [...odd, ...Array.from({ length: 9_000 }, (_, n) => `Source${n}`)].map((source_id) => ({
    source_id,
    request_id: randomUUID(),
    received_at: iso(now),
    message_id: randomUUID(),
    endpoint: 'ad',
    body: {},
  }));
  for (let n = 0; n < 2; n++) await adRequests.store(marked(adRequestTopic, askedRows));
  expect(await count('ad_requests')).toBe(9_002);
});

it('recognises repeats whose times are spread over centuries', async () => {
  const years = [...Array.from({ length: 230 }, (_, n) => 1970 + n), 1925, 2299, 9999];
  const rows = years.flatMap((year) =>
    ['-01-01T00:00:00.000Z', '-06-06T12:34:56.789Z', '-12-31T23:59:59.999Z'].map((timeOfYear) => ({
      ...aRow({ id: randomUUID() }),
      timestamp: `${year}${timeOfYear}`,
    })),
  );
  for (let n = 0; n < 2; n++) await storeEvents(...rows);
  await storeEvents(...rows.map((row) => ({ ...row, received_at: iso(now + dayMs) })));
  expect([await count('events'), await count('events', 'uniqExact(message_id)')]).toEqual([rows.length, rows.length]);
});

it('counts refusals once when a gateway sent the count twice', async () => {
  const row = { source_id: 'TestSource12', kind: 'count', counted: 'refused', reason: 'invalid_fields', requests: 7 };
  const refusal = { ...row, message_id: randomUUID(), request_id: randomUUID(), received_at: iso(Date.now()) };
  await system.storeRefused(marked(refusedTopic, [refusal]));
  await system.storeRefused(marked(refusedTopic, [refusal, { ...refusal, message_id: randomUUID(), requests: 1 }]));
  expect(await count('refused_requests', 'sum(requests)')).toBe(8);
});

/** Rows that a look-up with this condition reads, and rows in the table. */
async function rowsRead(table: string, condition: string): Promise<{ read: number; held: number }> {
  const result = await client.query({
    query: `SELECT count() FROM ${table} WHERE ${condition} SETTINGS use_skip_indexes = 0`,
    format: 'JSONEachRow',
  });
  await result.text();
  const summary = JSON.parse(String(result.response_headers['x-clickhouse-summary'])) as { read_rows: string };
  return { read: Number(summary.read_rows), held: await count(table) };
}

async function fillWithAMillion(): Promise<void> {
  await client.command({
    query: `INSERT INTO events (source_id, event, timestamp, user_id, message_id, received_at, properties)
      SELECT 'TestSource12', 'search', t, concat('user-', toString(number)), generateUUIDv4(), t,
        '{"n":1}'::JSON(max_dynamic_paths = 256) FROM
      (SELECT number, fromUnixTimestamp64Milli(${now} - toInt64(number) * 600, 'UTC') AS t FROM numbers(1000000))`,
  });
  await client.command({ query: 'OPTIMIZE TABLE events FINAL' });
}

it('a look-up in a large table reads only the days and the share of one partition', async () => {
  await fillWithAMillion();
  const buckets = '8, 9, 10, 11';
  const since = (ms: number) => `timestamp >= fromUnixTimestamp64Milli(${now - ms}, 'UTC')`;

  const minute = await rowsRead('events', `repeat_bucket IN (${buckets}) AND ${since(60_000)}`);
  expect(minute.held).toBe(1_000_000);
  expect(minute.read).toBeLessThan(200_000);
  const allRows = await rowsRead('events', `repeat_bucket IN (${buckets}) AND ${since(9 * dayMs)}`);
  expect(allRows.read).toBeLessThan(800_000);
});

it('a look-up of times spread over centuries reads no more than their own minutes', async () => {
  await fillWithAMillion();
  const times = Array.from({ length: 500 }, (_, n) => Date.UTC(1970 + (n % 228), n % 12, 1 + (n % 27), n % 24));
  const rows = [...times, now].map((timestamp, n) => ({
    value: Buffer.from(JSON.stringify(aRow({ id: randomUUID(), timestamp, person: { user_id: `person-${n}` } }))),
    offset: String(offset++),
    timestamp: '1700000000012',
  }));
  const bounded: typeof writer.lookUp = (table, query, options) =>
    writer.lookUp(table, query, { ...options, settings: { ...options?.settings, max_rows_to_read: '300000' } });
  const block = { id: randomUUID(), partition: 0, rows, replay: false, possibleRepeats: rows };
  expect(await writer.append('events', block, bounded)).toEqual([]);
  expect(await count('events')).toBe(rows.length + 1_000_000);
});
