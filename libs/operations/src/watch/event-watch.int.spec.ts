import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { findMigrations } from '../status/migration-files.js';
import { hourMs } from './changes.js';
import { EventWatch, runDelayMs } from './event-watch.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `watch_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
const watches = ['one', 'two'].map((runner) => new EventWatch(config, runner));
const [watch] = watches as [EventWatch];

/** The hour that is judged last ends here. */
/** Noon of yesterday: older rows leave the tables of the watch by their TTL. */
const hourEnd = Math.floor(Date.now() / 86_400_000) * 86_400_000 - 43_200_000;
const source = 'WatchSource1';
const days = 29;
const eventsPerHour = 60;
/** The release with which `order_completed` is gone, `total` is a text, and `coupon` is gone; it began within this hour. */
const release = hourEnd - 1.6 * hourMs;

/** Ten events, each once a minute, from 29 days ago; every device has the right time until the last three hours. */
const fill = `INSERT INTO events (source_id, event, timestamp, user_id, message_id, properties, context, request_id, received_at, stored_at)
  SELECT {source:String}, name, time, concat('u-', toString(number % 500)), generateUUIDv4(number), properties, context, generateUUIDv4(number + 1), time, time + 1
  FROM
  (
    SELECT number, fromUnixTimestamp64Milli({from:Int64} + number * 6000, 'UTC') AS time,
      ['order_completed', 'item_added', 'event_2', 'event_3', 'event_4', 'event_5', 'event_6', 'event_7', 'event_8', 'event_9'][number % 10 + 1] AS name,
      time >= fromUnixTimestamp64Milli({release:Int64}, 'UTC') AS is_new,
      concat('{"total":', if(is_new, '"49.90"', if(number % 3 = 0, '49', '49.9')), if(is_new, '', ',"coupon":"x"'), ',"items":3}') AS properties,
      concat('{"app":{"version":"', if(is_new, '2.3.0', '2.2.9'), '"},"sent_at":"', formatDateTime(if(is_new, time + INTERVAL 3 HOUR, time), '%Y-%m-%dT%H:%i:%SZ'), '"}') AS context
    FROM numbers({count:UInt64})
  )
  WHERE NOT (is_new AND name = 'order_completed')
  SETTINGS input_format_try_infer_dates = 0, input_format_try_infer_datetimes = 0`;

beforeAll(async () => {
  await migrate(config, await findMigrations());
  const from = hourEnd - days * 24 * hourMs;
  const count = days * 24 * eventsPerHour * 10 + 200;
  await client.command({ query: fill, query_params: { source, from, count, release } });
  // A plan refuses a third of one event in the last two hours.
  await client.command({
    query: `INSERT INTO refused_messages (source_id, kind, event, reason, timestamp, message_id, received_at)
      SELECT {source:String}, 'track', 'event_9', 'plan', time, generateUUIDv4(number), fromUnixTimestamp64Milli({end:Int64} - 7200000 + number * 120000, 'UTC') AS time FROM numbers(60)`,
    query_params: { source, end: hourEnd },
  });
});
afterAll(async () => {
  await Promise.all(watches.map((eachWatch) => eachWatch.stop()));
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await client.close();
});

it('finds what a release changed, says since which version, and judges each hour once', async () => {
  // Properties are known once the same hour of four days was looked at.
  for (let daysAgo = 5; daysAgo > 0; daysAgo--)
    expect(await watch.run(hourEnd - daysAgo * 24 * hourMs + runDelayMs)).toMatchObject({ judged: 10, opened: [] });

  const runs = await Promise.all(watches.map((eachWatch) => eachWatch.run(hourEnd + runDelayMs)));
  const [run, ...otherRuns] = runs.filter((eachRun) => eachRun !== undefined);
  expect(otherRuns).toEqual([]);
  expect(run).toMatchObject({ hour: hourEnd - hourMs, judged: 10, unknown: 0 });
  const opened = run?.opened.map(({ event, kind, property, since }) => `${event} ${kind} ${property} ${since}`).sort();
  expect(opened?.filter((change) => change.startsWith('order_completed'))).toEqual([
    'order_completed stopped  app 2.3.0',
  ]);
  expect(opened).toContain('item_added type total app 2.3.0');
  expect(opened).toContain('item_added vanished coupon app 2.3.0');
  expect(opened).toContain(' clock  ');
  expect(opened).toContain('event_9 refused  ');
  expect(opened).toHaveLength(1 + 2 * 9 + 2);
  const counts = await watch.countChanges();
  expect(Object.fromEntries(counts)).toEqual({ stopped: 1, type: 9, vanished: 9, clock: 1, refused: 1 });
  expect(await watch.run(hourEnd + runDelayMs)).toBeUndefined();
  expect(await watch.readLastHour()).toBe(hourEnd);
});

it('counts late rows in the hour of their arrival at the gateway', async () => {
  const lateHour = hourEnd - 30 * hourMs;
  const readCount = async (): Promise<number> => {
    const query = `SELECT toUInt32(sum(messages)) AS messages FROM event_hours FINAL WHERE hour = toDateTime(${lateHour / 1_000}, 'UTC')`;
    const [row] = await (await client.query({ query, format: 'JSONEachRow' })).json<{ messages: number }>();
    return row?.messages ?? 0;
  };
  expect(await readCount()).toBe(10 * eventsPerHour);
  await client.command({
    query: `INSERT INTO events (source_id, event, timestamp, user_id, message_id, received_at)
            SELECT {source:String}, 'event_2', time, 'u-1', generateUUIDv4(number), fromUnixTimestamp64Milli({lateHour:Int64} + number, 'UTC') AS time FROM numbers(7)`,
    query_params: { source, lateHour },
  });
  expect(await watch.run(hourEnd + hourMs + runDelayMs)).toBeDefined();
  expect(await readCount()).toBe(10 * eventsPerHour + 7);
});
