import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { describeCanary } from '@sluice/console-api';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { makeSelectRows } from '../plans/select-rows.js';
import { findMigrations } from '../status/migration-files.js';
import { CanaryJudge } from './canary-judge.js';
import { readCanary, readCanaryNumbers } from './canary-reader.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `canary_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
const select = makeSelectRows(config);
const judges = [new CanaryJudge(config, 1), new CanaryJudge(config, 1)];
const series = randomUUID();
const now = Date.now();

const toRow = (number: number) => {
  const called = new Date(now - 3_600_000 + number * 1_000);
  return {
    ...{ source_id: 'sluicecanary', message_id: randomUUID(), request_id: randomUUID() },
    ...{ timestamp: called, received_at: called, stored_at: new Date(called.getTime() + 400) },
    properties: { series, number, drained: number - 1, ...(number > 50 && { refused: '49-50', in_doubt: '' }) },
  };
};
const insert = (...numbers: number[]) =>
  client.insert({ table: 'canary_probes', values: numbers.map(toRow), format: 'JSONEachRow' });
const numbersUpTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

beforeAll(async () => {
  await migrate(config, await findMigrations());
});
afterAll(async () => {
  await Promise.all(judges.map((judge) => judge.stop()));
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await client.close();
});

it('is read by no view', async () => {
  const query = `SELECT name, match(create_table_query, 'canary_(probes|series|faults)') AS reads FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%View'`;
  const views = await (await client.query({ query, format: 'JSONEachRow' })).json<{ name: string; reads: number }>();
  expect(views.length).toBeGreaterThan(20);
  expect(views.filter(({ reads }) => reads === 1)).toEqual([]);
});

it('says nothing before the first probe', async () => {
  await judges[0]?.judge(now);
  expect(await readCanary(select)).toMatchObject({ since: null, probes: 0, lost: 0, p99Ms: null, faults: [] });
});

it('names what is lost and doubled, whoever looks and how often', async () => {
  await insert(...numbersUpTo(124).filter((number) => ![30, 49].includes(number)), 60);
  await Promise.all(judges.map((judge) => judge.judge(now)));
  await judges[1]?.judge(now + 60_000);

  const state = await readCanary(select);
  expect(state).toMatchObject({ probes: 98, refused: 2, inDoubt: 0, lost: 1, doubled: 1, late: 0, unjudged: 0 });
  expect(state.faults).toMatchObject([
    { series, number: 30, kind: 'lost', arrived: null },
    { series, number: 60, kind: 'doubled', arrived: null },
  ]);
  expect(state.p99Ms).toBeGreaterThanOrEqual(400);
  expect(state.p99Ms).toBeLessThanOrEqual(420);
  expect(describeCanary(state)).toMatch(
    /^since \d+ \w+ \d{4}: 98 probes, 1 lost, 1 doubled, p99 4\d\d ms from call to row$/,
  );
  expect(await readCanaryNumbers(select)).toMatchObject({ lostLately: 1, doubledLately: 1 });
});

it('keeps totals when the probes have expired, and says when a lost one came after all', async () => {
  await insert(30);
  await judges[0]?.judge(now + 120_000);
  const state = await readCanary(select);
  expect(state).toMatchObject({ probes: 98, lost: 0, late: 1, doubled: 1 });
  expect(state.faults[0]?.arrived).not.toBeNull();

  await client.command({ query: 'TRUNCATE TABLE canary_probes' });
  await judges[1]?.judge(now + 180_000);
  expect(await readCanary(select)).toMatchObject({ probes: 98, lost: 0, late: 1, doubled: 1 });
});
