import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { type Funnel, findMigrations, funnelQuery } from '@sluice/operations';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

// Funnel, retention and sessions group by id before they look people up. They must answer as the plain queries do, which
// look up the person of each event and let FINAL drop the copies.

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `questions_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
const source = 'AbCdEf123456';
const withinMs = 86_400_000;
const names = ['product_viewed', 'product_added', 'order_completed', 'page_viewed'];

const columns =
  'source_id, event, timestamp, user_id, anonymous_id, message_id, properties, request_id, received_at, kafka_partition, kafka_offset, kafka_timestamp';
/**
 * 90,000 events of about 3,000 people over 100 days. Every third person has an account. Every person has three
 * anonymous ids, some of them linked to another person's account. One event in ten arrives a week late. `number`
 * determines all values.
 */
const events = `WITH
    sipHash64(number) AS dice,
    dice % 3000 AS person,
    toDateTime64('2026-01-05 00:00:00', 3, 'UTC') + toIntervalMillisecond(intDiv(dice, 7) % (100 * 86400000)) AS at
  SELECT '${source}', ['${names.join("', '")}'][1 + intDiv(dice, 11) % 4], at,
    if(person % 3 = 0 AND intDiv(dice, 13) % 2 = 0, concat('u-', toString(person)), ''), concat('a-', toString(person), '-', toString(intDiv(dice, 17) % 3)),
    reinterpretAsUUID(toUInt128(dice) * 18446744073709551557 + number), '{}'::JSON(max_dynamic_paths = 256), generateUUIDv4(), at + if(number % 10 = 0, toIntervalDay(7), toIntervalSecond(1)), 0, number, at
  FROM numbers(90000)`;
/**
 * Copies of one event in a hundred, in a part of their own. Half have another timestamp, as if the client sent none:
 * five hours later, like the arrival of the copy.
 */
const copies = `SELECT source_id, event,
    if(kafka_offset % 200 = 0, timestamp + toIntervalHour(5), timestamp),
    user_id, anonymous_id, message_id, properties, request_id, received_at + toIntervalHour(5), kafka_partition, kafka_offset, kafka_timestamp
  FROM events WHERE kafka_offset % 100 = 0`;
const identifies = `INSERT INTO identifies (source_id, user_id, anonymous_id, message_id, request_id, timestamp, received_at, kafka_partition, kafka_offset, kafka_timestamp)
  WITH toDateTime64('2026-01-05 00:00:00', 3, 'UTC') + toIntervalHour(number) AS at
  SELECT '${source}', concat('u-', toString(person)), concat('a-', toString(person + (number % 50 = 0)), '-', toString(number % 3)),
    generateUUIDv4(), generateUUIDv4(), at, at, 0, number, at
  FROM (SELECT number, intDiv(number, 3) * 3 % 3000 AS person FROM numbers(3000))`;

beforeAll(async () => {
  await migrate(config, await findMigrations());
  // Merges would drop the copies before FINAL does.
  await command('SYSTEM STOP MERGES events');
  const clickhouse_settings = { optimize_on_insert: 0, max_partitions_per_insert_block: '0' } as const;
  await client.command({ query: `INSERT INTO events (${columns}) ${events}`, clickhouse_settings });
  await client.command({ query: `INSERT INTO events (${columns}) ${copies}`, clickhouse_settings });
  await command(identifies);
});
afterAll(async () => {
  await command(`DROP DATABASE ${config.CLICKHOUSE_DATABASE}`);
  await client.close();
});

async function command(query: string): Promise<void> {
  await client.command({ query });
}
async function select<Row>(query: string): Promise<Row[]> {
  const clickhouse_settings = { output_format_json_quote_64bit_integers: 0 } as const;
  return (await client.query({ query, format: 'JSONEachRow', clickhouse_settings })).json<Row>();
}

type Range = Pick<Funnel, 'from' | 'to'>;
const during = ({ from, to }: Range): string => `timestamp >= '${from}' AND timestamp < '${to}'`;

const plainRetention = (range: Range): string => `
  SELECT arrayMin(days) AS first_day, toUInt16(arrayJoin(days) - first_day) AS days_later, count() AS people FROM (
    SELECT person, groupUniqArray(toDate(timestamp)) AS days FROM events_resolved(source = '${source}')
    WHERE ${during(range)} GROUP BY person) GROUP BY first_day, days_later ORDER BY ALL`;
const retention = ({ from, to }: Range): string =>
  `SELECT first_day, days_later, people FROM retention(source = '${source}', from = '${from}', to = '${to}') ORDER BY ALL`;

const plainFunnel = (steps: readonly string[], range: Range): string => `
  SELECT step, count() AS people FROM (
    SELECT person, windowFunnel(${withinMs})(toUInt64(toUnixTimestamp64Milli(timestamp)), ${steps.map((step) => `event = '${step}'`).join(', ')}) AS step
    FROM events_resolved(source = '${source}') WHERE event IN ('${steps.join("', '")}') AND ${during(range)}
    GROUP BY person) GROUP BY step ORDER BY step`;

/** Sessions of all time, of which those are kept that start in the range. */
const plainSessions = ({ from, to }: Range): string => `
  SELECT person, min(timestamp) AS started_at, max(timestamp) AS ended_at, count() AS events FROM (
    SELECT person, timestamp, sum(begins) OVER (PARTITION BY person ORDER BY timestamp ROWS UNBOUNDED PRECEDING) AS session FROM (
      SELECT person, timestamp, timestamp - lagInFrame(timestamp) OVER (PARTITION BY person ORDER BY timestamp ROWS UNBOUNDED PRECEDING) >= 1800 AS begins
      FROM events_resolved(source = '${source}')))
  GROUP BY person, session HAVING started_at >= '${from}' AND started_at < '${to}' ORDER BY ALL`;
const sessions = ({ from, to }: Range): string =>
  `SELECT person, started_at, ended_at, events FROM sessions(source = '${source}', from = '${from}', to = '${to}') ORDER BY ALL`;

/** 7, 30, 64 and 90 whole days; then ranges that begin or end within a day, or do both, or lie within one day. */
const ranges: Range[] = [
  { from: '2026-02-01', to: '2026-02-08' },
  { from: '2026-02-01', to: '2026-03-03' },
  { from: '2026-02-01', to: '2026-04-06' },
  { from: '2026-01-10', to: '2026-04-10' },
  { from: '2026-02-01 13:14:15.167', to: '2026-03-03' },
  { from: '2026-02-01 13:14:15.167', to: '2026-03-03 02:03:04.567' },
  { from: '2026-01-05 20:00:00', to: '2026-04-10 04:30:00' },
  { from: '2026-02-01 03:00:00', to: '2026-02-01 19:00:00' },
];
const funnels = [
  names.slice(0, 2),
  names.slice(0, 3),
  [...names, ...names],
  ['page_viewed', 'page_viewed', 'order_completed'],
];

describe.each(['with copies', 'after an erasure'])('%s', (state) => {
  beforeAll(async () => {
    if (state === 'with copies') return;
    await command('SYSTEM START MERGES events');
    await client.command({
      query: `ALTER TABLE events DELETE WHERE source_id = '${source}' AND intDiv(sipHash64(kafka_offset), 5) % 10 = 0`,
      clickhouse_settings: { mutations_sync: '1' },
    });
  });

  it('there are copies until a merge, and people with several ids', async () => {
    const [counts] = await select<{ copies: number; people: number; ids: number }>(
      `SELECT count() - uniqExact(message_id) AS copies, uniqExact(identity) AS ids,
         (SELECT uniqExact(person) FROM events_resolved(source = '${source}')) AS people FROM events`,
    );
    if (state === 'with copies') expect(counts?.copies).toBeGreaterThan(700);
    expect(counts?.ids).toBeGreaterThan(1.2 * (counts?.people ?? Infinity));
  });

  it.each(ranges)('retention from $from to $to', async (range) => {
    const plain = await select(plainRetention(range));
    expect(plain.length).toBeGreaterThan(0);
    expect(await select(retention(range))).toEqual(plain);
  });

  it.each(ranges)('sessions from $from to $to', async (range) => {
    const plain = await select<{ events: number }>(plainSessions(range));
    expect(plain.some(({ events }) => events > 1)).toBe(true);
    expect(await select(sessions(range))).toEqual(plain);
  });

  it.each(funnels)('a funnel that begins with %s and %s', async (...steps) => {
    for (const range of ranges) {
      const plain = await select<{ people: number }>(plainFunnel(steps, range));
      expect(plain.length).toBeGreaterThan(1);
      expect(await select(funnelQuery({ source, steps, withinMs, ...range }))).toEqual(plain);
    }
  });
});

it('retention takes a Date and a time of any year', async () => {
  const query = (range: string) => select(`SELECT * FROM retention(source = '${source}', ${range}) ORDER BY ALL`);
  const wholeMonth = await query(`from = '2026-02-01', to = '2026-03-03'`);
  expect(wholeMonth.length).toBeGreaterThan(100);
  expect(await query(`from = toDate('2026-02-01'), to = toDate('2026-03-03')`)).toEqual(wholeMonth);
  expect(await query(`from = '1970-01-01', to = '2199-01-01'`)).toEqual(
    await query(`from = '2026-01-01', to = '2026-06-01'`),
  );
});
