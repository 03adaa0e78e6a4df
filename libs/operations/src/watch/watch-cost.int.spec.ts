import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { findMigrations } from '../status/migration-files.js';
import { EventWatch, runDelayMs } from './event-watch.js';
import { neededHours } from './series.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `watch_cost_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const fillMs = 300_000;
const client = createClickHouse(config, undefined, {}, fillMs);
const watch = new EventWatch(config, 'cost');
/** Noon of yesterday: older rows leave the tables of the watch by their TTL. */
const hourEnd = Math.floor(Date.now() / 86_400_000) * 86_400_000 - 43_200_000;
const [sources, events, messages] = [50, 200, 100];
/** Two percent of a core for an hour. */
const maxCpuSeconds = 72;

beforeAll(async () => {
  await migrate(config, await findMigrations());
  const names = `concat('Source', leftPad(toString(intDiv(series, ${events})), 6, '0')) AS source_id, concat('event_', toString(series % ${events})) AS event`;
  await client.command({
    query: `INSERT INTO event_hours (source_id, event, hour, messages)
            SELECT ${names}, toDateTime({end:Int64} / 1000, 'UTC') - INTERVAL intDiv(number, ${sources * events}) + 2 HOUR, ${messages}
            FROM (SELECT number, number % ${sources * events} AS series FROM numbers(${sources * events * (neededHours - 1)}))`,
    query_params: { end: hourEnd },
  });
  await client.command({
    query: `INSERT INTO events (source_id, event, timestamp, user_id, message_id, properties, context, received_at)
            SELECT ${names}, fromUnixTimestamp64Milli({end:Int64} - 3600000 + number * 3, 'UTC') AS time, concat('u-', toString(number % 5000)), generateUUIDv4(number),
              concat('{"total":', toString(number % 100), '.5,"items":3,"currency":"EUR","coupon":"x","shipping":{"city":"Shiraz","cost":4.5},"a":1,"b":2,"c":true}'),
              '{"app":{"version":"2.3.0"},"sent_at":"${new Date(hourEnd - 1_800_000).toISOString()}"}', time
            FROM (SELECT number, cityHash64(number) % ${sources * events} AS series FROM numbers(${sources * events * messages}))`,
    query_params: { end: hourEnd },
  });
  await client.command({
    query: `INSERT INTO watch_runs (hour, runner, claimed, is_done) SELECT toDateTime({end:Int64} / 1000, 'UTC') - INTERVAL 2 HOUR, 'cost', now64(3), true`,
    query_params: { end: hourEnd },
  });
}, 2 * fillMs);
afterAll(async () => {
  await watch.stop();
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await client.close();
});

/** Processor time of ClickHouse, whoever asked: an upper bound. */
async function readServerSeconds(): Promise<number> {
  const query = `SELECT toFloat64(sum(value)) AS micros FROM system.events WHERE event IN ('UserTimeMicroseconds', 'SystemTimeMicroseconds')`;
  const [row] = await (await client.query({ query, format: 'JSONEachRow' })).json<{ micros: number }>();
  return (row?.micros ?? 0) / 1e6;
}

it('costs less than two percent of a core with 50 sources of 200 events and a million messages an hour', async () => {
  const [server, own] = [await readServerSeconds(), process.cpuUsage()];
  const run = await watch.run(hourEnd + runDelayMs);
  const { user, system } = process.cpuUsage(own);
  const seconds = { process: (user + system) / 1e6, clickhouse: (await readServerSeconds()) - server };

  expect(run).toMatchObject({ judged: sources * events, unknown: 0, opened: [] });
  expect(seconds.clickhouse).toBeGreaterThan(0);
  console.info(JSON.stringify({ ...seconds, tookMs: run?.tookMs }));
  expect(seconds.process + seconds.clickhouse).toBeLessThan(maxCpuSeconds);
});

/** Inserts blocks of 100 events, in turn, for as long as the work lasts; the time of each in milliseconds. */
async function timeInserts(work: () => Promise<unknown>): Promise<number[]> {
  const end = new AbortController();
  const done = work().finally(() => end.abort());
  const times: number[] = [];
  while (!end.signal.aborted) {
    const values = Array.from({ length: 100 }, (_, index) => ({
      ...{ source_id: 'Source000000', event: `event_${index}`, user_id: `u-${index}`, message_id: randomUUID() },
      ...{ timestamp: new Date(hourEnd), received_at: new Date(hourEnd), properties: { total: index } },
    }));
    const startedAt = performance.now();
    await client.insert({ table: 'events', values, format: 'JSONEachRow' });
    times.push(performance.now() - startedAt);
    await sleep(20);
  }
  await done;
  return times.sort((a, b) => a - b);
}

it('lets INSERTs pass while it counts and judges an hour', async () => {
  const alone = await timeInserts(() => sleep(5_000));
  const duringRun = await timeInserts(() => watch.judgeAgain(hourEnd));
  const [median, p99] = [0.5, 0.99].map((share) => ({
    alone: alone[Math.floor((alone.length - 1) * share)] ?? 0,
    duringRun: duringRun[Math.floor((duringRun.length - 1) * share)] ?? 0,
  }));
  console.info(JSON.stringify({ inserts: [alone.length, duringRun.length], median, p99 }));
  expect(duringRun.length).toBeGreaterThan(10);
  // An INSERT that waited for a statement of the run would take as long as it: seconds.
  expect(p99?.duringRun).toBeLessThan(2_000);
});
