import { randomUUID } from 'node:crypto';
import type {} from '@sluice/testing'; // types of `inject`
import { type Kafka } from '@sluice/kafkajs';
import { beforeEach, expect, inject, it } from 'vitest';
import { withAdmin } from '../connection/admin.js';
import { createKafka } from '../connection/client.js';
import { readLag } from './group-lag.js';
import { readCluster } from './topic-states.js';
import { ensureTopics } from './topics.js';

const config = { KAFKA_BROKERS: inject('kafkaBrokers'), TOPIC_PARTITIONS: 2, TOPIC_REPLICATION_FACTOR: 1 };
const hourMs = 3_600_000;

let topic: string;
let group: string;
let kafka: Kafka;
beforeEach(async () => {
  topic = `test.${randomUUID()}`;
  group = `group-${topic}`;
  kafka = createKafka(config, 'test');
  await ensureTopics(kafka, config, [{ name: topic, contract: 'test.v1' }]);
});

/** Publishes messages with these timestamps to a partition. */
async function publish(partition: number, ...times: number[]): Promise<void> {
  const producer = kafka.producer();
  await producer.connect();
  const messages = times.map((time) => ({ partition, value: 'x', timestamp: String(time) }));
  await producer.send({ topic, messages });
  await producer.disconnect();
}
const commit = (partition: number, offset: number): Promise<void> =>
  withAdmin(kafka, async (admin) => {
    await admin.setOffsets({ groupId: group, topic, partitions: [{ partition, offset: String(offset) }] });
  });
const lag = async () => (await readLag(kafka, [{ topic, group }]))[0];

it('is zero for a topic without messages, and for one that is fully confirmed', async () => {
  expect(await lag()).toEqual({ topic, group, members: 0, messages: 0, behind: [], oldestAt: undefined });

  await publish(0, Date.now() - hourMs);
  await commit(0, 1);
  expect(await lag()).toMatchObject({ messages: 0, behind: [], oldestAt: undefined });
});

it('says since when the oldest unconfirmed message of any partition waits, to the second', async () => {
  const now = Date.now();
  await publish(0, now - 100 * hourMs, now - 2 * hourMs, now - hourMs);
  await publish(1, now - 50 * hourMs, now - 3_000);
  await commit(0, 1);
  await commit(1, 1);

  const groupLag = await lag();

  expect(groupLag).toMatchObject({
    messages: 3,
    behind: [
      { partition: 0, messages: 2 },
      { partition: 1, messages: 1 },
    ],
  });
  expect(Math.abs((groupLag?.oldestAt ?? 0) - (now - 2 * hourMs))).toBeLessThanOrEqual(1_000);
});

it('is the whole log before the first commit', async () => {
  const now = Date.now();
  await publish(1, now - 20_000, now);

  const groupLag = await lag();

  expect(groupLag).toMatchObject({ messages: 2, behind: [{ partition: 1, messages: 2 }] });
  expect(Math.abs((groupLag?.oldestAt ?? 0) - (now - 20_000))).toBeLessThanOrEqual(1_000);
});

it('reads the retention of topics, and which of them are missing', async () => {
  await publish(0, Date.now());

  const { brokers, topics } = await readCluster(kafka, [topic, `${topic}.dlq`, 'no.such.topic']);

  const dayMs = 24 * hourMs;
  expect(brokers).toBeGreaterThan(0);
  expect(topics).toEqual([
    { topic, partitions: 2, outOfSync: 0, retentionMs: 7 * dayMs, messages: 1 },
    { topic: `${topic}.dlq`, partitions: 1, outOfSync: 0, retentionMs: 21 * dayMs, messages: 0 },
    { topic: 'no.such.topic', partitions: 0, outOfSync: 0, retentionMs: undefined, messages: 0 },
  ]);
});
