import { eventually } from '@sluice/testing';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Health, Registry } from '@sluice/service';
import { type Kafka, type Message } from '@sluice/kafkajs';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { withAdmin } from '../connection/admin.js';
import { type Block, type Rejection } from '../protocol/block.js';
import { BlockConsumer } from '../consume/block-consumer.js';
import { started } from '../consume/started.spec-support.js';
import { createKafka, createPartitioner } from '../connection/client.js';
import { Retention } from './retention.js';
import { ensureTopics } from '../topics/topics.js';
import { deleteTopic } from '../topics/delete-topic.spec-support.js';

const config = {
  KAFKA_BROKERS: inject('kafkaBrokers'),
  TOPIC_PARTITIONS: 1,
  TOPIC_REPLICATION_FACTOR: 1,
  TOPIC_RETENTION_HOURS: 3,
  BLOCK_MAX_ROWS: 100,
  BLOCK_MAX_BYTES: 1024 * 1024,
  BLOCK_MAX_AGE_MS: 100,
  KAFKA_SESSION_TIMEOUT_MS: 10_000,
  BLOCK_BUFFER_BYTES: 64 * 1024 * 1024,
};
const timeout = { timeout: 15_000, interval: 50 };

let topic: string;
let kafka: Kafka;
/** The registries of a test's consumers, the latest last. */
let registries: Registry[] = [];
const running: BlockConsumer[] = [];

beforeEach(async () => {
  topic = `test.${randomUUID()}`;
  registries = [];
  kafka = createKafka(config, 'test');
  await ensureTopics(kafka, config, [{ name: topic, contract: 'test.v1' }]);
});
afterEach(stop);

async function stop(): Promise<void> {
  await Promise.all(running.splice(0).map((consumer) => consumer.close()));
}

async function consume(handler: (block: Block) => Promise<Rejection[]>): Promise<void> {
  const health = new Health();
  const registry = new Registry();
  registries.push(registry);
  const consumer = new BlockConsumer(config, `group-${topic}`, health, registry);
  consumer.addHandler(topic, handler, true);
  running.push(consumer);
  await started(consumer, health, timeout);
}

async function produce(count: number, change: Partial<Message> = {}): Promise<void> {
  const producer = kafka.producer({ createPartitioner });
  await producer.connect();
  const messages = Array.from({ length: count }, (_, i) => ({ value: String(i), partition: 0, ...change }));
  await producer.send({ topic, acks: -1, messages });
  await producer.disconnect();
}
const takeUntil = (offset: number) =>
  withAdmin(kafka, async (admin) => {
    await admin.fetchTopicOffsets(topic); // kafkajs does not look for the leader by itself
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: String(offset) }] });
  });
const committed = async () => {
  const [ofTopic] = await withAdmin(kafka, (admin) =>
    admin.fetchOffsets({ groupId: `group-${topic}`, topics: [topic] }),
  );
  return ofTopic?.partitions[0];
};
async function values(
  name: string,
  registry = registries.at(-1),
): Promise<{ labels: Record<string, unknown>; value: number }[]> {
  return ((await registry?.getSingleMetric(name)?.get())?.values ?? []).map(({ labels, value }) => ({ labels, value }));
}
const lost = (registry = registries.at(-1)) => values('sluice_consumer_lost_offsets_total', registry);

async function recreateTopic(): Promise<void> {
  await deleteTopic(kafka, topic);
  await ensureTopics(kafka, config, [{ name: topic, contract: 'test.v1' }]);
}

it('counts once what retention deleted while no consumer ran', async () => {
  const values: string[] = [];
  const remember = ({ messages }: Block): Promise<Rejection[]> => {
    values.push(...messages.map(({ offset }) => offset));
    return Promise.resolve([]);
  };
  await consume(remember);
  await produce(50);
  await eventually(async () => {
    expect(await committed()).toMatchObject({ offset: '50', metadata: null });
  });
  await stop();
  await produce(200);
  await takeUntil(180);

  await consume(remember);
  await eventually(async () => {
    expect(await committed()).toMatchObject({ offset: '250', metadata: null });
  });
  expect(await lost()).toEqual([{ labels: { topic, state: 'waiting' }, value: 130 }]);
  expect(values).toHaveLength(50 + 70);

  await stop();
  await consume(remember);
  expect(await lost()).toEqual([]);
}, 60_000);

it('counts what retention deleted while a running consumer could not store it, and nothing that is stored', async () => {
  let isUnreachable = true;
  const stored = new Set<string>();
  await consume(({ messages }) => {
    if (isUnreachable) return Promise.reject(new Error('down'));
    for (const { offset } of messages) stored.add(offset);
    return Promise.resolve([]);
  });
  await produce(100);
  await eventually(async () => {
    expect((await committed())?.metadata).toMatch(/^block:/);
  });
  // Nothing more is fetched of a partition that is stuck.
  await eventually(async () => {
    expect(await values('sluice_consumer_stuck_seconds')).toHaveLength(1);
  });
  await produce(500);
  await takeUntil(400);

  isUnreachable = false;
  await eventually(async () => {
    expect(await committed()).toMatchObject({ offset: '600', metadata: null });
  });
  const [loss] = await lost();
  expect(loss?.labels).toEqual({ topic, state: 'waiting' });
  expect(stored.size + (loss?.value ?? 0)).toBe(600);
  expect(loss?.value).toBeGreaterThan(0);
}, 90_000);

it('counts unstored messages of a topic that was deleted under a running consumer, and reads the new topic', async () => {
  let isUnreachable = true;
  const stored = new Set<string>();
  await consume(({ messages }) => {
    if (isUnreachable) return Promise.reject(new Error('down'));
    for (const { offset, value } of messages) stored.add(String(value) === 'new' ? 'new' : offset);
    return Promise.resolve([]);
  });
  await produce(100);
  await eventually(async () => {
    expect(await values('sluice_consumer_stuck_seconds')).toHaveLength(1);
  });
  await produce(500);
  await eventually(async () => {
    expect(await values('sluice_consumer_lag_messages')).toMatchObject([{ value: 600 }]);
  });

  await recreateTopic();
  isUnreachable = false;
  await eventually(() => produce(1, { value: 'new' }));
  await eventually(() => expect(stored).toContain('new'), 90_000);
  await sleep(6_000); // a look at the ends of the logs must not count it again
  const [loss, ...otherLosses] = await lost();
  expect(otherLosses).toEqual([]);
  expect(loss?.labels).toEqual({ topic, state: 'topic deleted' });
  // A block that was already fetched may have been stored.
  expect(loss?.value).toBe(600 - (stored.size - 1));
  expect(loss?.value).toBeGreaterThanOrEqual(500);
}, 150_000);

it('does not count the messages of a block whose INSERT outlives its topic and its generation', async () => {
  const insert = Promise.withResolvers<undefined>();
  const [begunValues, stored] = [new Set<string>(), new Set<string>()];
  const store = async ({ messages }: Block): Promise<Rejection[]> => {
    for (const { offset } of messages) begunValues.add(offset);
    if (messages.some(({ value }) => String(value) !== 'new')) await insert.promise;
    for (const { offset, value } of messages) stored.add(String(value) === 'new' ? 'new' : offset);
    return [];
  };
  await consume(store);
  await produce(1_000);
  await eventually(async () => {
    expect(begunValues.size).toBeGreaterThan(0);
    expect(await values('sluice_consumer_lag_messages')).toMatchObject([{ value: 1_000 }]);
  });

  await recreateTopic();
  await consume(store); // the second member begins another generation
  insert.resolve(undefined);
  await eventually(() => produce(1, { value: 'new' }));
  const count = async () => {
    const losses = await Promise.all(registries.map((registry) => lost(registry)));
    return losses.flat().reduce((sum, { value }) => sum + value, 0);
  };
  await eventually(async () => {
    expect(stored).toContain('new');
    expect(await count()).toBe(1_000 - (stored.size - 1));
  }, 90_000);
  expect(stored.size - 1).toBeGreaterThan(0);
  await sleep(6_000); // a look at the ends of the logs must not count it again
  expect(await count()).toBe(1_000 - (stored.size - 1));
}, 150_000);

it('reads a topic from its beginning when it was recreated, even if it is longer than the old one by then', async () => {
  const stored = new Set<string>();
  await consume(({ messages }) => {
    for (const { value } of messages) stored.add(String(value));
    return Promise.resolve([]);
  });
  await produce(100, { value: 'old' });
  await eventually(async () => {
    expect(await committed()).toMatchObject({ offset: '100', metadata: null });
  });
  await recreateTopic();
  await sleep(20_000); // several looks at the ends of the logs
  await eventually(() => produce(300));
  await eventually(() => expect(stored.size).toBe(1 + 300));
}, 150_000);

it('reports how long Kafka keeps waiting messages', async () => {
  const hour = 3_600_000;
  await produce(10, { timestamp: String(Date.now() - 2 * hour) });
  await consume(() => Promise.reject(new Error('down')));
  await eventually(async () => {
    expect(await values('sluice_consumer_retention_seconds')).toEqual([{ labels: { topic }, value: 3 * 3_600 }]);
    const [series] = await values('sluice_consumer_retention_left_seconds');
    expect(series?.labels).toEqual({ topic, partition: 0 });
    expect(Math.abs((series?.value ?? 0) - 3_600)).toBeLessThan(60);
  });
}, 60_000);

it('reads the retention of a topic although another topic was deleted', async () => {
  const retention = new Retention(kafka, () => []);
  retention.follow([`deleted.${randomUUID()}`, topic]);
  try {
    await eventually(() => expect(retention.retentionSeconds()).toEqual([{ topic, seconds: 3 * 3_600 }]));
  } finally {
    retention.stop();
  }
}, 60_000);
