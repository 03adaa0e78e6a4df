import { eventually } from '@sluice/testing';
import { randomUUID } from 'node:crypto';
import { Health } from '@sluice/service';
import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest';
import { withAdmin } from '../connection/admin.js';
import { type Block } from '../protocol/block.js';
import { BlockConsumer } from '../consume/block-consumer.js';
import { createKafka } from '../connection/client.js';
import { type KafkaCompression } from '../connection/config.js';
import { NotPublishedError } from './not-published-error.js';
import { type OutgoingMessage } from './outgoing-message.js';
import { type Fallback, Publisher } from './publisher.js';
import { Sender } from './sender.js';
import { ensureTopics } from '../topics/topics.js';

const config = {
  KAFKA_BROKERS: inject('kafkaBrokers'),
  TOPIC_PARTITIONS: 3,
  TOPIC_REPLICATION_FACTOR: 1,
  BLOCK_MAX_ROWS: 10_000,
  BLOCK_MAX_BYTES: 16 * 1024 * 1024,
  BLOCK_MAX_AGE_MS: 100,
  KAFKA_SESSION_TIMEOUT_MS: 10_000,
  BLOCK_BUFFER_BYTES: 64 * 1024 * 1024,
};
let topic: string;
const ends: (() => Promise<void>)[] = [];

beforeEach(async () => {
  topic = `test.${randomUUID()}`;
  await ensureTopics(createKafka(config, 'test'), config, [{ name: topic, contract: 'test.v1' }]);
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const aSender = (brokers = config.KAFKA_BROKERS, compression?: KafkaCompression): Sender =>
  new Sender(createKafka({ KAFKA_BROKERS: brokers }, 'test'), [topic], compression);

function aPublisher(fallback?: Fallback, sender = aSender()): Publisher {
  const publisher = new Publisher(sender, fallback);
  ends.push(() => publisher.stop());
  return publisher;
}

const messages = (...values: string[]): OutgoingMessage[] =>
  values.map((value) => ({ topic, key: value.slice(0, 10), value, headers: {} }));

async function consume(): Promise<Set<string>> {
  const values = new Set<string>();
  const consumer = new BlockConsumer(config, `group-${topic}`, new Health());
  ends.push(() => consumer.close());
  consumer.addHandler(
    topic,
    (block: Block) => {
      for (const { value } of block.messages) values.add(String(value));
      return Promise.resolve([]);
    },
    true,
  );
  await consumer.listen(() => undefined);
  return values;
}

it('publishes compressed messages that a consumer reads unchanged', async () => {
  const publisher = aPublisher(undefined, aSender(config.KAFKA_BROKERS, 'zstd'));
  await publisher.start();
  const sent = Array.from({ length: 500 }, (_, i) => `${i} ${'a row much like the others '.repeat(10)}`);
  await publisher.publish(messages(...sent));
  const received = await consume();
  await eventually(() => expect(received).toEqual(new Set(sent)));
});

it('publishes on a new connection after a reconnect', async () => {
  const sender = aSender();
  const publisher = aPublisher(undefined, sender);
  await publisher.start();
  await sender.send(messages('before'));
  await sender.reconnect();
  await publisher.publish(messages('after'));
  const received = await consume();
  await eventually(() => expect(received).toEqual(new Set(['before', 'after'])));
});

it('publishes to added partitions as soon as it knows of them', async () => {
  const publisher = aPublisher();
  await publisher.start();
  const sent = Array.from({ length: 200 }, (_, i) => String(i));
  await publisher.publish(messages(...sent.slice(0, 100)));
  await withAdmin(createKafka(config, 'test'), (admin) =>
    admin.createPartitions({ topicPartitions: [{ topic, count: 2 * config.TOPIC_PARTITIONS }] }),
  );
  await eventually(async () => {
    await publisher.start();
    await publisher.publish(messages(...sent.slice(100)));
    const ends = await withAdmin(createKafka(config, 'test'), (admin) => admin.fetchTopicOffsets(topic));
    expect(ends.filter(({ high }) => Number(high) > 0)).toHaveLength(2 * config.TOPIC_PARTITIONS);
  });
}, 60_000);

it('repeats messages in doubt to the partition that they were first sent to, after partitions were added', async () => {
  const inDoubt: OutgoingMessage[] = [];
  const sender = aSender();
  const publisher = aPublisher((unpublished) => {
    inDoubt.push(...unpublished);
    return Promise.resolve();
  }, sender);
  await publisher.start();
  const sendBatch = sender.sendBatch.bind(sender);
  vi.spyOn(sender, 'sendBatch').mockImplementationOnce(async (batch) => {
    await sendBatch(batch);
    throw new Error('the answer was lost');
  });
  await publisher.publish(messages(...Array.from({ length: 100 }, (_, i) => String(i))));
  expect(inDoubt).toHaveLength(100);
  const ends = () => withAdmin(createKafka(config, 'test'), (admin) => admin.fetchTopicOffsets(topic));
  const first = (await ends()).map(({ partition, high }) => [partition, Number(high)] as const);
  await withAdmin(createKafka(config, 'test'), (admin) =>
    admin.createPartitions({ topicPartitions: [{ topic, count: 2 * config.TOPIC_PARTITIONS }] }),
  );
  await eventually(async () => {
    await publisher.start();
    expect(sender.partitionCounts.get(topic)).toBe(2 * config.TOPIC_PARTITIONS);
  });
  await sender.send(inDoubt);
  const endsBefore = new Map((await ends()).map(({ partition, high }) => [partition, Number(high)]));
  expect(first.map(([partition]) => endsBefore.get(partition))).toEqual(first.map(([, high]) => 2 * high));
}, 60_000);

it('hands unpublished messages to the fallback, and settles as the fallback does', async () => {
  const handedOver: string[] = [];
  const fallback: Fallback = (unpublished) => {
    handedOver.push(...unpublished.map(({ value }) => String(value)));
    return handedOver.length > 2 ? Promise.reject(new Error('full')) : Promise.resolve();
  };
  const publisher = aPublisher(fallback, aSender(['127.0.0.1:1']));
  await expect(publisher.start()).rejects.toThrow();
  await publisher.publish(messages('1', '2'));
  await expect(publisher.publish(messages('3'))).rejects.toThrow('full');
  expect(handedOver).toEqual(['1', '2', '3']);
});

it('names the permanent error of a message that Kafka can never take', async () => {
  const sender = aSender();
  const publisher = aPublisher(undefined, sender);
  await publisher.start();
  const error: unknown = await sender.send(messages('x'.repeat(3 * 1024 * 1024))).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(NotPublishedError);
  expect((error as NotPublishedError).permanentErrorType).toBe('MESSAGE_TOO_LARGE');
});

interface Diverted {
  value: string;
  isInDoubt: boolean;
}

const divertTo =
  (diverted: Diverted[]): Fallback =>
  (unpublished, isInDoubt) => {
    diverted.push(...unpublished.map(({ value }) => ({ value: String(value), isInDoubt })));
    return Promise.resolve();
  };

it('hands messages to the fallback unsent when they have waited too long to be answered in time', async () => {
  const diverted: Diverted[] = [];
  const publisher = aPublisher(divertTo(diverted));
  await publisher.start();
  await publisher.publish(messages('too late'), performance.now() - 1_000);
  await publisher.publish(messages('in time'), performance.now());
  expect(diverted).toEqual([{ value: 'too late', isInDoubt: false }]);
});

it('refuses too many messages at once, and does not hand them to the fallback', async () => {
  const diverted: Diverted[] = [];
  const publisher = aPublisher(divertTo(diverted));
  const tooMany = messages(...Array.from({ length: 100_001 }, () => 'x'));
  await expect(publisher.publish(tooMany)).rejects.toMatchObject({ retryAfterSeconds: 2 });
  expect(diverted).toEqual([]);
});

it('publishes to existing topics while another one is missing', async () => {
  const missing = `test.${randomUUID()}`;
  const publisher = new Publisher(new Sender(createKafka(config, 'test'), [missing, topic]));
  ends.push(() => publisher.stop());
  await publisher.start();
  await publisher.publish(messages('there'));
  const error: unknown = await publisher
    .publish(messages('not there').map((message) => ({ ...message, topic: missing })))
    .catch((reason: unknown) => reason);
  expect((error as NotPublishedError).topicFailure).toBe('UNKNOWN_TOPIC_OR_PARTITION');
});
