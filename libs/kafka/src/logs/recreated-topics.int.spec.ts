import { eventually } from '@sluice/testing';
import { randomUUID } from 'node:crypto';
import { Health, Registry } from '@sluice/service';
import { type Kafka } from '@sluice/kafkajs';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { createKafka } from '../connection/client.js';
import { BlockConsumer } from '../consume/block-consumer.js';
import { started } from '../consume/started.spec-support.js';
import { type Block, type Rejection } from '../protocol/block.js';
import { Publisher } from '../publish/publisher.js';
import { Sender } from '../publish/sender.js';
import { ensureTopics } from '../topics/topics.js';
import { deleteTopic } from '../topics/delete-topic.spec-support.js';

const partitions = 2;
const config = {
  KAFKA_BROKERS: inject('kafkaBrokers'),
  TOPIC_PARTITIONS: partitions,
  TOPIC_REPLICATION_FACTOR: 1,
  BLOCK_MAX_ROWS: 100,
  BLOCK_MAX_BYTES: 1024 * 1024,
  BLOCK_MAX_AGE_MS: 100,
  KAFKA_SESSION_TIMEOUT_MS: 10_000,
  BLOCK_BUFFER_BYTES: 64 * 1024 * 1024,
};
const timeout = { timeout: 20_000, interval: 50 };

let topic: string;
let kafka: Kafka;
let registry: Registry;
let consumer: BlockConsumer | undefined;
const publishers: Publisher[] = [];

beforeEach(async () => {
  topic = `test.${randomUUID()}`;
  registry = new Registry();
  kafka = createKafka(config, 'test');
  await ensureTopics(kafka, config, [{ name: topic, contract: 'test.v1' }]);
});
afterEach(async () => {
  await consumer?.close();
  consumer = undefined;
  await Promise.all(publishers.splice(0).map((publisher) => publisher.stop()));
});

async function aPublisher(): Promise<Publisher> {
  const publisher = new Publisher(new Sender(kafka, [topic]));
  publishers.push(publisher);
  await publisher.start();
  return publisher;
}

const publish = (publisher: Publisher, log: string, count: number): Promise<void> =>
  publisher.publish(Array.from({ length: count }, (_, n) => ({ topic, key: String(n), value: log, headers: {} })));

async function consume(store: (block: Block) => Promise<Rejection[]>): Promise<void> {
  const health = new Health();
  consumer = new BlockConsumer(config, `group-${topic}`, health, registry);
  consumer.addHandler(topic, store, true);
  await started(consumer, health, timeout);
}

async function recreateTopic(): Promise<void> {
  await deleteTopic(kafka, topic);
  await ensureTopics(kafka, config, [{ name: topic, contract: 'test.v1' }]);
}

async function sumMetric(name: string): Promise<number> {
  const values = (await registry.getSingleMetric(name)?.get())?.values ?? [];
  return values.reduce((sum, { value }) => sum + value, 0);
}

it('reports a topic that was deleted twice, and counts no more than was lost', async () => {
  const publisher = await aPublisher();
  let isUnreachable = true;
  const stored = { first: 0, second: 0, third: 0 };
  await consume(({ messages }) => {
    if (isUnreachable) return Promise.reject(new Error('down'));
    for (const { value } of messages) stored[String(value) as keyof typeof stored] += 1;
    return Promise.resolve([]);
  });
  await publish(publisher, 'first', 100);
  await eventually(async () => {
    expect(await sumMetric('sluice_consumer_stuck_seconds')).toBeGreaterThan(0);
  });

  // The consumer fetches nothing more, and looks at the ends of logs only every five seconds.
  await publish(publisher, 'first', 500);
  await recreateTopic();
  await eventually(() => publish(publisher, 'second', 300));
  await recreateTopic();
  await eventually(() => publish(publisher, 'third', 40));
  isUnreachable = false;

  await eventually(async () => {
    expect(stored.third).toBe(40);
    const lost = await sumMetric('sluice_consumer_lost_offsets_total');
    // Blocks that were fetched outlive their topic.
    expect(lost).toBeLessThanOrEqual(600 - stored.first);
    expect(await sumMetric('sluice_consumer_recreated_logs_total')).toBeGreaterThan(0);
  });
  // The consumer never saw the second topic: its messages are neither stored nor counted as lost.
  expect(stored.second).toBe(0);
}, 120_000);
