import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { auditTopic, header, identifyTopic, trackTopic } from '@sluice/contracts';
import { createKafka, ensureTopics, type Kafka } from '@sluice/kafka';
import { findMigrations } from '@sluice/operations';
import { ensureSuppressionsTopic, PrivacyKey, SuppressionRegistry, SuppressionWriter } from '@sluice/privacy';
import { eventually } from '@sluice/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it, vi } from 'vitest';
import { json, operator } from '../operator.spec-support.js';
import { type Refusals } from './refusals.js';

// Own topics: processes of other specs do not have the key of these suppressions.
vi.hoisted(() => {
  process.env['TOPIC_PREFIX'] = `refused-${process.pid}-`;
});

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `kept_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const kafkaConfig = { KAFKA_BROKERS: inject('kafkaBrokers'), TOPIC_PARTITIONS: 2, TOPIC_REPLICATION_FACTOR: 1 };
const clickhouse = createClickHouse(config);
const requestId = randomUUID();
const receivedAt = new Date(Date.now() - 3_600_000).toISOString();
const source = 'KeptSource12';
let consumer: ReturnType<Kafka['consumer']>;

/** Messages of this spec that Kafka has. */
const sent: { topic: string; key: string; row: unknown; headers: unknown }[] = [];

const makeKeptRow = (row: Record<string, unknown>, body: unknown) => ({
  source_id: source,
  kind: 'track',
  event: 'order_completed',
  reason: 'plan',
  plan_version: 2,
  violations: ['wrong_type:total'],
  problems: '[]',
  message_id: randomUUID(),
  request_id: requestId,
  received_at: receivedAt,
  user_agent: 'Mozilla/5.0',
  country: 'DE',
  body: typeof body === 'string' ? body : JSON.stringify(body),
  ...row,
});
const order = makeKeptRow(
  {},
  { userId: 'u-1', event: 'order_completed', unknown: 1, properties: { total: 'ten', product_id: 'p-1' } },
);
const traits = makeKeptRow(
  { kind: 'identify', event: '' },
  { anonymousId: 'a-1', traits: { plan: 'pro' }, timestamp: '2026-01-31T12:00:00Z' },
);
const rows = [
  order,
  traits,
  makeKeptRow({ event: 'other' }, { userId: 'u-1', event: 'other' }),
  makeKeptRow({}, '{"userId":"u-1","eve'),
  makeKeptRow({}, { userId: 'a b', event: 'order_completed' }),
  makeKeptRow({ source_id: 'OtherSource1' }, { userId: 'u-1', event: 'order_completed' }),
];

beforeAll(async () => {
  const kafka = createKafka(kafkaConfig, 'test');
  await ensureTopics(kafka, kafkaConfig, [trackTopic, identifyTopic, auditTopic]);
  consumer = kafka.consumer({ groupId: randomUUID() });
  await consumer.connect();
  await consumer.subscribe({ topics: [trackTopic.name, identifyTopic.name], fromBeginning: true });
  await consumer.run({
    eachMessage: ({ topic, message: { key, value, headers } }) => {
      if (value?.includes(requestId) !== true) return Promise.resolve();
      const texts = Object.entries(headers ?? {}).map(([name, headerValue]) => [name, String(headerValue)]);
      sent.push({ topic, key: String(key), row: JSON.parse(String(value)), headers: Object.fromEntries(texts) });
      return Promise.resolve();
    },
  });
  await migrate(config, await findMigrations());
  await clickhouse.insert({
    table: 'refused_messages',
    values: rows,
    format: 'JSONEachRow',
    clickhouse_settings: { date_time_input_format: 'best_effort' },
  });
});
afterAll(async () => {
  await consumer.disconnect();
  await clickhouse.close();
});
beforeEach(() => {
  vi.stubEnv('SLUICE_DATA_DIR', '/no/such/folder');
  vi.stubEnv('CLICKHOUSE_URL', config.CLICKHOUSE_URL);
  vi.stubEnv('CLICKHOUSE_DATABASE', config.CLICKHOUSE_DATABASE);
  vi.stubEnv('KAFKA_BROKERS', kafkaConfig.KAFKA_BROKERS.join(','));
});
afterEach(() => {
  vi.unstubAllEnvs();
});

it('lists what was kept, by event and violations', async () => {
  const refusals = await json<Refusals>('refused', 'list', '--source', source, '--event', 'order_completed');
  expect(refusals).toMatchObject({
    counts: [],
    samples: [],
    kept: [{ sourceIdentifier: source, event: 'order_completed', violations: ['wrong_type:total'], count: 3 }],
  });
  const { stdout } = await operator('refused', 'list');
  expect(stdout).toMatch(/^1 +OtherSource1 +order_completed +plan 2 +wrong_type:total /m);
  expect(stdout).toMatch(/^1 +KeptSource12 +identify /m);
});

it('a dry run sends nothing', async () => {
  expect(await json('refused', 'replay', '--source', source, '--dry-run')).toEqual({
    messages: 3,
    refusedAgain: 2,
    suppressed: 0,
    reasons: expect.arrayContaining([{ why: 'its body is not whole', count: 1 }]) as unknown,
    isDone: false,
  });
});

it('sends what the present rules accept, with its id, request and time, marked as a possible repeat', async () => {
  const event = ['--event', 'order_completed'];
  expect(await json('refused', 'replay', '--source', source, ...event)).toMatchObject({ messages: 1, refusedAgain: 2 });
  const row = {
    source_id: source,
    request_id: requestId,
    received_at: receivedAt,
    message_id: order.message_id,
    user_id: 'u-1',
    timestamp: receivedAt,
    user_agent: 'Mozilla/5.0',
    country: 'DE',
    event: 'order_completed',
    product_ids: ['p-1'],
    properties: { total: 'ten', product_id: 'p-1' },
  };
  const headers = {
    [header.contract]: trackTopic.contract,
    [header.requestId]: requestId,
    [header.possibleRepeat]: '1',
  };
  // This is the first message, because the dry run sent nothing.
  await eventually(() => expect(sent).toEqual([{ topic: trackTopic.name, key: `${source}:u-1`, row, headers }]));

  expect(await json('refused', 'replay', '--source', source)).toMatchObject({ messages: 3, refusedAgain: 2 });
  await eventually(() => expect(sent).toHaveLength(4));
  expect(sent.find(({ topic }) => topic === identifyTopic.name)).toMatchObject({
    key: `${source}:a-1`,
    row: {
      message_id: traits.message_id,
      anonymous_id: 'a-1',
      timestamp: '2026-01-31T12:00:00.000Z',
      traits: { plan: 'pro' },
    },
  });
});

it('leaves out suppressed people', async () => {
  const secret = 'a privacy key of the tests, long enough';
  vi.stubEnv('PRIVACY_KEY', secret);
  const kafka = createKafka(kafkaConfig, 'test');
  await ensureSuppressionsTopic(kafka, kafkaConfig);
  const key = new PrivacyKey(secret);
  const writer = new SuppressionWriter(kafka, new SuppressionRegistry(key), key);
  await writer.suppress([{ source, kind: 'anonymous', id: 'a-1' }], { mode: 'suppress', request: 'r-1' });
  await writer.stop();
  expect(await json('refused', 'replay', '--source', source, '--dry-run')).toMatchObject({
    messages: 2,
    refusedAgain: 2,
    suppressed: 1,
  });
  vi.stubEnv('PRIVACY_KEY', undefined);
  const { exitCode, stderr } = await operator('refused', 'replay', '--source', source);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('PRIVACY_KEY')]);
});

it('needs a source', async () => {
  const { exitCode, stderr } = await operator('refused', 'replay');
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('--source')]);
});
