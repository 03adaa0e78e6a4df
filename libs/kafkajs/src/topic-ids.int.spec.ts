import { randomUUID } from 'node:crypto';
import type {} from '@sluice/testing'; // types of `inject`
import { afterEach, expect, inject, it } from 'vitest';
import { Kafka, logLevel, TopicIds } from './index.js';

const kafka = new Kafka({ brokers: inject('kafkaBrokers'), logLevel: logLevel.NOTHING });
const ids = new TopicIds(kafka);
afterEach(() => ids.close());

it('distinguishes existing topics from missing ones, and a recreated topic from its predecessor', async () => {
  const [topic, otherTopic, missing] = [randomUUID(), randomUUID(), randomUUID()];
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({
    waitForLeaders: true,
    topics: [
      { topic, numPartitions: 3 },
      { topic: otherTopic, numPartitions: 1 },
    ],
  });
  const before = await ids.read([topic, missing, otherTopic]);
  expect([...before.keys()].sort()).toEqual([topic, otherTopic].sort());
  expect(before.get(topic)).toMatch(/^[0-9a-f]{32}$/);
  expect(before.get(otherTopic)).not.toBe(before.get(topic));
  expect(await ids.read([topic, otherTopic])).toEqual(before);

  await admin.deleteTopics({ topics: [topic] });
  await expect.poll(async () => (await ids.read([topic])).size).toBe(0);
  // Waiting for leaders could fail after the topic is created, and a second attempt answers `false`.
  expect(await admin.createTopics({ waitForLeaders: false, topics: [{ topic, numPartitions: 3 }] })).toBe(true);
  await expect.poll(async () => (await ids.read([topic])).get(topic)).toMatch(/^[0-9a-f]{32}$/);
  expect((await ids.read([topic])).get(topic)).not.toBe(before.get(topic));
  await admin.disconnect();
});

it('throws when Kafka cannot be reached', async () => {
  const unreachable = new TopicIds(
    new Kafka({ brokers: ['127.0.0.1:9'], retry: { retries: 0 }, logLevel: logLevel.NOTHING }),
  );
  await expect(unreachable.read(['any'])).rejects.toThrow();
});
