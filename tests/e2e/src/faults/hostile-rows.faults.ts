import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { adRequestTopic, header, type Topic, trackTopic } from '@sluice/contracts';
import { createKafka } from '@sluice/kafka';
import {
  type RunningClickHouse,
  type RunningKafka,
  type ServerProcess,
  startClickHouse,
  startKafka,
} from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTracking } from './consumer-process.js';

// Each case writes, to its own partition, rows that no gateway sends. Good rows behind them must not wait long.

let folder: string;
let kafka: RunningKafka;
let clickhouse: RunningClickHouse;
let tracking: ServerProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-hostile-'));
  kafka = await startKafka({ dataDir: join(folder, 'kafka') });
  clickhouse = await startClickHouse({ dataDir: join(folder, 'clickhouse') });
  const options = { brokers: kafka.brokers, clickhouseUrl: clickhouse.url, database: 'default', folder };
  tracking = await startTracking(options);
}, 180_000);
afterAll(async () => {
  await tracking.stop();
  await Promise.all([kafka.stop(), clickhouse.stop()]);
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}, 60_000);

type Row = Readonly<Record<string, unknown>>;
const goodRows = 100;
const withinMs = 120_000;
const weekMs = 7 * 24 * 3_600_000;

const place = (source_id: string): Row => ({
  source_id,
  request_id: randomUUID(),
  received_at: new Date().toISOString(),
  message_id: randomUUID(),
});
const ad = (source: string): Row => ({ ...place(source), endpoint: 'ad', body: { n: 1 } });
const track = (source: string, more: Row = {}): Row => ({
  ...place(source),
  user_id: randomUUID(),
  timestamp: new Date().toISOString(),
  event: 'e',
  properties: { n: 1 },
  ...more,
});
const makeMany = (count: number, make: (n: number) => Row | string): (Row | string)[] =>
  Array.from({ length: count }, (_, n) => make(n));
const depth = 4_000;

interface Case {
  readonly name: string;
  readonly topic: Topic;
  readonly table: string;
  readonly rows: () => readonly (Row | string)[];
  /** Number of `rows` that the table accepts. */
  readonly stored: number;
}

const cases: readonly Case[] = [
  {
    name: 'an ad request of a source of 140,000 characters',
    topic: adRequestTopic,
    table: 'ad_requests',
    rows: () => [ad('x'.repeat(140_000))],
    stored: 1,
  },
  {
    name: 'ad requests of 9,000 sources',
    topic: adRequestTopic,
    table: 'ad_requests',
    rows: () => makeMany(9_000, (n) => ad(`Source${n}`)),
    stored: 9_000,
  },
  {
    name: '1,500 rows nested 4,000 deep',
    topic: trackTopic,
    table: 'events',
    rows: () =>
      makeMany(1_500, () =>
        JSON.stringify(track('Deep')).replace(/\}$/, `,"unknown":${'['.repeat(depth)}${']'.repeat(depth)}}`),
      ),
    stored: 0,
  },
  {
    name: '3,000 rows of 300 weeks',
    topic: trackTopic,
    table: 'events',
    rows: () =>
      makeMany(3_000, (n) => track('Weeks', { received_at: new Date(Date.now() - (n % 300) * weekMs).toISOString() })),
    stored: 3_000,
  },
  {
    name: '3,000 times spread over centuries',
    topic: trackTopic,
    table: 'events',
    rows: () =>
      makeMany(3_000, (n) =>
        track('Spread', {
          timestamp: new Date(Date.UTC(1970 + (n % 229), n % 12, 1 + (n % 28), n % 24)).toISOString(),
        }),
      ),
    stored: 3_000,
  },
];

async function publishRows(topic: Topic, partition: number, rows: readonly (Row | string)[]): Promise<void> {
  const client = createKafka({ KAFKA_BROKERS: [...kafka.brokers] }, 'faults');
  const producer = client.producer({ allowAutoTopicCreation: false });
  await producer.connect();
  const headers = { [header.contract]: topic.contract, [header.possibleRepeat]: '1' };
  const messages = rows.map((row) => ({
    key: 'k',
    partition,
    headers,
    value: typeof row === 'string' ? row : JSON.stringify(row),
  }));
  for (let start = 0; start < messages.length; start += 100)
    await producer.send({ topic: topic.name, acks: -1, messages: messages.slice(start, start + 100) });
  await producer.disconnect();
}

async function countRows(table: string, condition: string): Promise<number> {
  const query = `SELECT count() FROM ${table} WHERE ${condition} SETTINGS optimize_use_implicit_projections = 0`;
  const answer = await fetch(clickhouse.url, { method: 'POST', body: query });
  return Number(await answer.text());
}

it.each(cases.map((hostileCase, partition) => ({ ...hostileCase, partition })))(
  'stores good rows behind $name, marked as possible repeats',
  async ({ topic, table, rows, stored, partition }) => {
    const good = `Good${partition}`;
    const sent = rows();
    await publishRows(topic, partition, sent);
    await publishRows(
      topic,
      partition,
      makeMany(goodRows, () => (table === 'events' ? track(good) : ad(good))),
    );
    const until = Date.now() + withinMs;
    const countGood = () => countRows(table, `source_id = '${good}'`);
    while ((await countGood()) < goodRows && Date.now() < until) await sleep(300);
    expect(await countGood()).toBe(goodRows);
    // The rows of one INSERT become visible week by week.
    const all = () => countRows(table, `kafka_partition = ${partition}`);
    while ((await all()) < stored + goodRows && Date.now() < until) await sleep(300);
    expect(await all()).toBe(stored + goodRows);
    // The same messages again: each is recognised as a repeat.
    await publishRows(topic, partition, sent);
    await publishRows(
      topic,
      partition,
      makeMany(1, () => (table === 'events' ? track('Last') : ad('Last'))),
    );
    const isDone = () => countRows(table, `kafka_partition = ${partition} AND source_id = 'Last'`);
    while ((await isDone()) < 1 && Date.now() < 2 * withinMs + until) await sleep(300);
    expect(await all()).toBe(stored + goodRows + 1);
  },
  4 * withinMs,
);
