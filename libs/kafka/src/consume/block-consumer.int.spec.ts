import { eventually } from '@sluice/testing';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { deadLetterTopic, FinalError } from '@sluice/contracts';
import { Health, Registry } from '@sluice/service';
import { type Kafka, type KafkaMessage, TopicIds } from '@sluice/kafkajs';
import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest';
import { withAdmin } from '../connection/admin.js';
import { type Block, type Rejection } from '../protocol/block.js';
import { BlockConsumer } from './block-consumer.js';
import { started } from './started.spec-support.js';
import { createKafka, createPartitioner } from '../connection/client.js';
import { Publisher } from '../publish/publisher.js';
import { Sender } from '../publish/sender.js';
import { ensureTopics } from '../topics/topics.js';
import { deleteTopic } from '../topics/delete-topic.spec-support.js';

const config = {
  KAFKA_BROKERS: inject('kafkaBrokers'),
  TOPIC_PARTITIONS: 4,
  TOPIC_REPLICATION_FACTOR: 1,
  BLOCK_MAX_ROWS: 100,
  BLOCK_MAX_BYTES: 1024 * 1024,
  BLOCK_MAX_AGE_MS: 100,
  KAFKA_SESSION_TIMEOUT_MS: 10_000,
  BLOCK_BUFFER_BYTES: 64 * 1024 * 1024,
};
const timeout = { timeout: 15_000, interval: 50 };

let topic: string;
let groupId: string;
let kafka: Kafka;
let publisher: Publisher;
const running: BlockConsumer[] = [];

beforeEach(async () => {
  topic = `test.${randomUUID()}`;
  groupId = `group-${topic}`;
  kafka = createKafka(config, 'test');
  await ensureTopics(kafka, config, [{ name: topic, contract: 'test.v1' }]);
  publisher = new Publisher(new Sender(kafka, [topic]));
  await publisher.start();
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((consumer) => consumer.close()));
  await publisher.stop();
});

async function consume(handler: (block: Block) => Promise<Rejection[]>): Promise<BlockConsumer> {
  const health = new Health();
  const consumer = new BlockConsumer(config, groupId, health);
  consumer.addHandler(topic, handler, true);
  running.push(consumer);
  await started(consumer, health, timeout);
  return consumer;
}

const publish = (count: number, from = 0) =>
  publisher.publish(
    Array.from({ length: count }, (_, i) => ({ topic, key: `key-${i % 17}`, value: String(from + i), headers: {} })),
  );
const readValues = ({ messages }: Block): string[] => messages.map(({ value }) => value?.toString() ?? '');
const lag = async (): Promise<number> => {
  const [committed, ends] = await withAdmin(kafka, (admin) =>
    Promise.all([admin.fetchOffsets({ groupId, topics: [topic] }), admin.fetchTopicOffsets(topic)]),
  );
  const offsets = new Map(committed[0]?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
  return ends.reduce((sum, { partition, high }) => sum + Number(high) - Math.max(0, offsets.get(partition) ?? 0), 0);
};

it('delivers every message once, in order, in blocks of one partition within their limits', async () => {
  const blocks: Block[] = [];
  await consume((block) => {
    blocks.push(block);
    return Promise.resolve([]);
  });
  await publish(1_000);

  await eventually(() => expect(blocks.flatMap(readValues)).toHaveLength(1_000));

  expect(new Set(blocks.flatMap(readValues)).size).toBe(1_000);
  for (const partition of [0, 1, 2, 3]) {
    const blocksOfPartition = blocks.filter((block) => block.partition === partition);
    const offsets = blocksOfPartition.flatMap(({ messages }) => messages.map(({ offset }) => Number(offset)));
    expect(offsets).toEqual(offsets.map((_, i) => i));
    for (const block of blocksOfPartition) expect(block.messages.length).toBeLessThanOrEqual(config.BLOCK_MAX_ROWS);
  }
});

it('replays nothing after a graceful stop, and delivers everything that came since', async () => {
  const values: string[] = [];
  const remember = (block: Block) => {
    values.push(...readValues(block));
    return Promise.resolve([]);
  };
  const first = await consume(remember);
  await publish(200);
  await eventually(() => expect(values.length).toBeGreaterThan(0));
  running.splice(running.indexOf(first), 1);
  await first.close();

  await publish(100, 200);
  await consume(remember);
  await eventually(() => expect(new Set(values).size).toBe(300));
  expect(values).toHaveLength(300);
  await eventually(async () => {
    expect(await lag()).toBe(0);
  });
});

it('keeps a block until it is stored and does not confirm it before', async () => {
  let isDown = true;
  const ids = new Set<string>();
  const stored: string[] = [];
  await consume((block) => {
    ids.add(block.id);
    if (isDown) return Promise.reject(new TypeError('a bug, or ClickHouse is down'));
    stored.push(...readValues(block));
    return Promise.resolve([]);
  });
  await publish(10);
  await eventually(() => expect(ids.size).toBeGreaterThan(0));
  await sleep(500);
  expect(await lag()).toBe(10);

  isDown = false;
  await eventually(() => expect(stored.toSorted()).toEqual(Array.from({ length: 10 }, (_, i) => String(i)).toSorted()));
});

const commits = async () => {
  const [ofTopic] = await withAdmin(kafka, (admin) => admin.fetchOffsets({ groupId, topics: [topic] }));
  return ofTopic?.partitions ?? [];
};

it('commits the intent of a block before storing it, and no metadata when no block is under way', async () => {
  const { promise: stored, resolve: store } = Promise.withResolvers<Rejection[]>();
  const blocks: Block[] = [];
  await consume((block) => {
    blocks.push(block);
    return stored;
  });
  await publish(40);
  await eventually(async () => {
    const open = (await commits()).filter(({ metadata }) => metadata !== null);
    expect(open.length).toBeGreaterThan(0);
    for (const { partition, offset, metadata } of open) {
      const block = blocks.find((candidate) => candidate.partition === partition);
      const [first, last] = [block?.messages[0], block?.messages.at(-1)];
      expect({ offset, metadata }).toEqual({
        offset: first?.offset,
        metadata: `block:${last?.offset ?? ''}@${first?.timestamp ?? ''}`,
      });
    }
  });

  store([]);
  await eventually(async () => {
    expect(await lag()).toBe(0);
    expect((await commits()).every(({ metadata }) => metadata === null)).toBe(true);
  });
});

it('marks messages as a replay only if they are read again after a reset of offsets', async () => {
  const blocks: Block[] = [];
  const remember = (block: Block) => {
    blocks.push(block);
    return Promise.resolve([]);
  };
  const first = await consume(remember);
  await publish(100);
  await eventually(async () => {
    expect(await lag()).toBe(0);
  });
  expect(blocks.flatMap(readValues)).toHaveLength(100);
  expect(blocks.every(({ replay }) => !replay)).toBe(true);
  running.splice(running.indexOf(first), 1);
  await first.close();

  await withAdmin(kafka, (admin) => admin.resetOffsets({ groupId, topic, earliest: true }));
  await consume(remember);
  await eventually(() => expect(blocks.flatMap(readValues)).toHaveLength(200));
  await publish(50, 100);
  await eventually(() => expect(blocks.flatMap(readValues)).toHaveLength(250));
  const again = blocks.filter(({ replay }) => replay).flatMap(readValues);
  expect(again.map(Number).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, i) => i));
});

it('reads a topic from its beginning when it is recreated under a running consumer', async () => {
  const values: string[] = [];
  await consume((block) => {
    values.push(...readValues(block));
    return Promise.resolve([]);
  });
  await publish(100);
  await eventually(() => expect(values).toHaveLength(100));

  await deleteTopic(kafka, topic);
  await ensureTopics(kafka, config, [{ name: topic, contract: 'test.v1' }]);
  await eventually(() => publish(60, 100));
  await eventually(() => expect(new Set(values).size).toBe(160), 90_000);
}, 120_000);

it('reads a partition from its beginning when it is added under a running consumer', async () => {
  const values: string[] = [];
  await consume((block) => {
    values.push(...readValues(block));
    return Promise.resolve([]);
  });
  await publish(100);
  await withAdmin(kafka, (admin) => admin.createPartitions({ topicPartitions: [{ topic, count: 6 }] }));

  // The consumer cannot know of the new partitions yet.
  const producer = kafka.producer({ createPartitioner });
  await producer.connect();
  // One send per partition: repeating a send that only one of two partitions took would write its messages twice.
  for (const partition of [4, 5]) {
    const messages = Array.from({ length: 30 }, (_, i) => ({ value: String(partition * 30 - 20 + i), partition }));
    await eventually(() => producer.send({ topic, acks: -1, messages }));
  }
  await producer.disconnect();

  await eventually(() => expect(new Set(values).size).toBe(160));
  expect(values).toHaveLength(160);
}, 90_000);

it('sends refused messages to the dead letters, unchanged and with the reason, and continues', async () => {
  const stored: string[] = [];
  await consume((block) => {
    if (readValues(block).includes('3')) return Promise.reject(new FinalError('three is refused'));
    stored.push(...readValues(block));
    return Promise.resolve([]);
  });
  await publish(50);
  await publish(50, 50);
  await eventually(() => expect(new Set(stored).size).toBe(99));

  const [letter] = await readAll(deadLetterTopic(topic), 1);
  expect(letter?.value?.toString()).toBe('3');
  expect(letter?.headers?.['dead-letter-reason']?.toString()).toBe('three is refused');
  expect(letter?.headers?.['dead-letter-topic']?.toString()).toBe(topic);
});

async function readAll(from: string, count: number): Promise<KafkaMessage[]> {
  const messages: KafkaMessage[] = [];
  const consumer = kafka.consumer({ groupId: randomUUID() });
  await consumer.connect();
  await consumer.subscribe({ topics: [from], fromBeginning: true });
  await consumer.run({
    eachMessage: ({ message }) => {
      messages.push(message);
      return Promise.resolve();
    },
  });
  await eventually(() => expect(messages.length).toBeGreaterThanOrEqual(count));
  await consumer.disconnect();
  return messages;
}

it('reports how many partitions of each topic it has, even when it has none', async () => {
  const registry = new Registry();
  const metric = (name: string) => registry.getSingleMetric(name)?.get();
  const consumer = new BlockConsumer(config, groupId, new Health(), registry);
  consumer.addHandler(topic, () => Promise.resolve([]), true);
  expect(await metric('sluice_consumer_assigned_partitions')).toMatchObject({
    values: [{ labels: { topic }, value: 0 }],
  });

  running.push(consumer);
  await consumer.listen(() => undefined);
  await eventually(async () => {
    for (const name of ['sluice_consumer_assigned_partitions', 'sluice_consumer_topic_partitions'])
      expect(await metric(name)).toMatchObject({ values: [{ labels: { topic }, value: 4 }] });
  });
});

it('confirms nothing after a standstill until Kafka says which topics were recreated', async () => {
  const values: string[] = [];
  await consume((block) => {
    values.push(...readValues(block));
    return Promise.resolve([]);
  });
  await publish(50);
  await eventually(async () => expect(await lag()).toBe(0));

  const read = vi.spyOn(TopicIds.prototype, 'read').mockRejectedValue(new Error('no answer'));
  for (const end = performance.now() + 800; performance.now() < end;); // as a stopped process
  await publish(50, 50);
  await sleep(2_000);
  expect(await lag()).toBe(50);
  read.mockRestore();

  await eventually(async () => expect(await lag()).toBe(0));
  expect(new Set(values).size).toBe(100);
  expect(values).toHaveLength(100);
});
