import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { allTopics, categoryTopic, deadLetterTopic, header, trackTopic } from '@sluice/contracts';
import { createKafka, ensureTopics, type Kafka } from '@sluice/kafka';
import { freePort } from '@sluice/testing';
import { destinations, findMigrations, type FoundRequest } from '@sluice/operations';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it, vi } from 'vitest';
import { runCommandLine } from '../run-command-line.js';

const clickhouseConfig = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `events_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const kafkaConfig = { KAFKA_BROKERS: inject('kafkaBrokers'), TOPIC_PARTITIONS: 2, TOPIC_REPLICATION_FACTOR: 1 };
const clickhouse = createClickHouse(clickhouseConfig);
let kafka: Kafka;

beforeAll(async () => {
  kafka = createKafka(kafkaConfig, 'test');
  await ensureTopics(kafka, kafkaConfig, allTopics);
  await migrate(clickhouseConfig, await findMigrations());
});
afterAll(() => clickhouse.close());
beforeEach(() => {
  vi.stubEnv('SLUICE_DATA_DIR', '/no/such/folder');
  vi.stubEnv('KAFKA_BROKERS', kafkaConfig.KAFKA_BROKERS.join(','));
  vi.stubEnv('CLICKHOUSE_URL', clickhouseConfig.CLICKHOUSE_URL);
  vi.stubEnv('CLICKHOUSE_DATABASE', clickhouseConfig.CLICKHOUSE_DATABASE);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** A request id as a gateway makes it at the given time. */
function aRequestId(time = Date.now()): string {
  const hex = time.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${randomUUID().slice(15)}`;
}

interface Sent {
  topic: string;
  requestId: string;
  headers?: Record<string, string>;
  /** Time at which Kafka took the message. */
  at?: number;
  partition?: number;
}

/** Publishes a message of the request and returns its offset. */
async function publish({
  topic,
  requestId,
  headers = {},
  at: time = Date.now(),
  partition = 0,
}: Sent): Promise<string> {
  const producer = kafka.producer();
  await producer.connect();
  const message = { key: 'k', value: '{}', partition, timestamp: String(time) };
  const [sent] = await producer.send({
    topic,
    messages: [{ ...message, headers: { [header.requestId]: requestId, ...headers } }],
  });
  await producer.disconnect();
  return String(sent?.baseOffset);
}

async function store(table: string, requestId: string, row: Record<string, unknown>): Promise<void> {
  const origin = { source_id: 'AbCdEf123456', request_id: requestId, received_at: new Date().toISOString() };
  await clickhouse.insert({
    table,
    values: [{ ...origin, kafka_partition: 0, kafka_timestamp: new Date().toISOString(), ...row }],
    format: 'JSONEachRow',
    clickhouse_settings: { date_time_input_format: 'best_effort' },
  });
}

async function find(...args: string[]) {
  const output = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((chunk) => {
      output[stream] += String(chunk);
      return true;
    }),
  );
  const exitCode = await runCommandLine(['events', 'find', ...args]).finally(() => {
    for (const spy of spies) spy.mockRestore();
  });
  return { exitCode, ...output };
}
async function findJson(...args: string[]): Promise<FoundRequest> {
  const answer = await find(...args, '--json');
  expect(answer).toMatchObject({ exitCode: 0, stderr: '' });
  return JSON.parse(answer.stdout) as FoundRequest;
}

it('knows the table of each topic', async () => {
  expect(destinations.map(({ topic }) => topic).sort()).toEqual(allTopics.map(({ name }) => name).sort());
  const tables = await clickhouse.query({ query: 'SHOW TABLES', format: 'JSONEachRow' });
  const names = (await tables.json<{ name: string }>()).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(destinations.map(({ table }) => table)));
});

it('says whether each message is waiting, stored, refused or merged, and where it is', async () => {
  const requestId = aRequestId();
  const messageId = randomUUID();
  const stored = await publish({ topic: trackTopic.name, requestId });
  await store('events', requestId, { event: 'e', timestamp: new Date(), message_id: messageId, kafka_offset: stored });
  const refused = await publish({ topic: trackTopic.name, requestId, partition: 1 });
  // A consumer that died before it committed wrote the letter twice.
  for (const time of [Date.now(), Date.now() + 1]) {
    await publish({
      at: time,
      topic: deadLetterTopic(trackTopic.name),
      requestId,
      headers: {
        'dead-letter-reason': 'too \u0007 bad',
        'dead-letter-topic': trackTopic.name,
        'dead-letter-partition': '1',
        'dead-letter-offset': refused,
        'dead-letter-timestamp': '1700000000000',
      },
    });
  }
  const merged = await publish({ topic: categoryTopic.name, requestId });
  const waiting = await publish({ topic: categoryTopic.name, requestId });
  await publish({ topic: categoryTopic.name, requestId: aRequestId() });
  // This partition is confirmed to its end, so it is read only near the request.
  const soon = await publish({ topic: categoryTopic.name, requestId, partition: 1 });
  const late = await publish({ topic: categoryTopic.name, requestId, partition: 1, at: Date.now() + 60_000 });
  const admin = kafka.admin();
  await admin.connect();
  const confirmed = [
    { partition: 0, offset: waiting },
    { partition: 1, offset: String(Number(late) + 1) },
  ];
  await admin.setOffsets({ groupId: 'catalog', topic: categoryTopic.name, partitions: confirmed });
  await admin.disconnect();

  const { events, problems } = await findJson(requestId);

  expect(problems).toEqual([]);
  expect(events).toEqual([
    expect.objectContaining({ topic: categoryTopic.name, offset: merged, state: 'merged', table: 'categories' }),
    expect.objectContaining({ topic: categoryTopic.name, offset: waiting, state: 'waiting', table: 'categories' }),
    expect.objectContaining({ topic: categoryTopic.name, partition: 1, offset: soon, state: 'merged' }),
    expect.objectContaining({
      topic: trackTopic.name,
      partition: 0,
      offset: stored,
      state: 'stored',
      table: 'events',
      messageId,
      storedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    }),
    expect.objectContaining({
      topic: trackTopic.name,
      partition: 1,
      offset: refused,
      state: 'dead-lettered',
      reason: 'too \u0007 bad',
      letter: `${trackTopic.name}:1:${refused}@1700000000000`,
    }),
  ]);
  const { exitCode, stdout } = await find(requestId, '--window', '10m');
  expect(exitCode).toBe(0);
  for (const words of [
    '6 messages',
    `1:${late}`,
    'merged',
    'waiting',
    `message_id ${messageId}`,
    'too   bad (dead letter',
  ])
    expect(stdout).toContain(words);
});

it('finds a row of every table', async () => {
  const requestId = aRequestId();
  for (const { table, hasMessageId } of destinations) {
    const id = hasMessageId ? { message_id: randomUUID() } : {};
    await store(table, requestId, { ...id, kafka_offset: '7' });
  }

  const { events } = await findJson(requestId);

  expect(events.map(({ table }) => table).sort()).toEqual(destinations.map(({ table }) => table).sort());
  expect(new Set(events.map(({ state }) => state))).toEqual(new Set(['stored']));
});

it('finds a message that waited on the disk of a gateway when the window is long enough', async () => {
  const requestId = aRequestId(Date.now() - 3 * 3_600_000);
  const offset = await publish({ topic: trackTopic.name, requestId });

  const { exitCode, stdout, stderr } = await find(requestId);
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^error: no event of request .* was found\.\nSearched: Kafka, what came from .*events.*\n/);
  expect(stderr).toContain('--window 1d');

  const { events } = await findJson(requestId.toUpperCase(), '--window', '4h');
  expect(events).toMatchObject([{ topic: trackTopic.name, offset }]);
});

it.each([
  ['a malformed id', ['x'], "'x' is not a request id"],
  ['an id of another version', [randomUUID()], 'a UUID of version 7'],
  ['a bad window', [aRequestId(), '--window', '10'], '--window must be a time like'],
])('refuses %s', async (_, args, message) => {
  const { exitCode, stdout, stderr } = await find(...args);
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toContain(message);
});

it('says which server is unavailable, and shows the results of the other', async () => {
  const requestId = aRequestId();
  const offset = await publish({ topic: trackTopic.name, requestId });
  await store('events', requestId, {
    event: 'e',
    timestamp: new Date(),
    message_id: randomUUID(),
    kafka_offset: offset,
  });

  vi.stubEnv('KAFKA_BROKERS', `127.0.0.1:${await freePort()}`);
  const withoutKafka = await find(requestId);
  expect(withoutKafka.exitCode).toBe(1);
  expect(withoutKafka.stderr).toMatch(/^error: Kafka at 127\.0\.0\.1:\d+ cannot be used/);
  expect(withoutKafka.stdout).toContain('stored');

  vi.stubEnv('KAFKA_BROKERS', kafkaConfig.KAFKA_BROKERS.join(','));
  vi.stubEnv('CLICKHOUSE_URL', `http://127.0.0.1:${await freePort()}`);
  const withoutClickHouse = await find(requestId, '--json');
  expect(withoutClickHouse.exitCode).toBe(1);
  expect(withoutClickHouse.stderr).toMatch(/^error: ClickHouse at .* cannot be used/);
  expect(JSON.parse(withoutClickHouse.stdout)).toMatchObject({ events: [{ topic: trackTopic.name, offset }] });
});
