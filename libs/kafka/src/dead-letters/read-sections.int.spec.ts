import { randomUUID } from 'node:crypto';
import type {} from '@sluice/testing'; // types of `inject`
import { beforeEach, expect, inject, it, vi } from 'vitest';
import { withAdmin } from '../connection/admin.js';
import { createKafka, createPartitioner } from '../connection/client.js';
import { withinDeadline } from '../connection/deadline.js';
import { readSections, type Section } from './read-sections.js';
import { ensureTopics } from '../topics/topics.js';

const config = { KAFKA_BROKERS: inject('kafkaBrokers'), TOPIC_PARTITIONS: 2, TOPIC_REPLICATION_FACTOR: 1 };
const kafka = createKafka(config, 'test');
const limitMs = 40_000;
let topic: string;

beforeEach(async () => {
  topic = `sections-${randomUUID()}`;
  await ensureTopics(kafka, config, [{ name: topic, contract: 'test.v1' }]);
});

async function produce(partition: number, values: readonly string[]): Promise<void> {
  const producer = kafka.producer({ createPartitioner });
  await producer.connect();
  for (const value of values) await producer.send({ topic, messages: [{ value, partition }] });
  await producer.disconnect();
}

const values = (count: number, name = 'v') => Array.from({ length: count }, (_, i) => `${name}${i}`);

/** Sections of everything in the topic now. */
const wholeTopic = async (): Promise<Section[]> => {
  const offsets = await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topic));
  return offsets.map(({ partition, low, high }) => ({ topic, partition, from: BigInt(low), end: BigInt(high) }));
};

const deleteUpTo = (partition: number, offset: number): Promise<void> =>
  withAdmin(kafka, async (admin) => {
    await admin.fetchTopicOffsets(topic); // kafkajs asks for the leaders only here
    await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: String(offset) }] });
  });

async function read(sections: readonly Section[], onValue?: (value: string) => void): Promise<string[]> {
  const read = new Set<string>();
  const reading = readSections(kafka, sections, (_, { value }) => {
    read.add(String(value));
    onValue?.(String(value));
  });
  await withinDeadline(reading, limitMs, 'the sections were not read');
  return [...read].sort();
}

it('ends when retention has emptied a section, and reads the others whole', async () => {
  await produce(0, values(10));
  await produce(1, values(5, 'w'));
  const sections = await wholeTopic();
  await deleteUpTo(0, 10);
  expect(await read(sections)).toEqual(values(5, 'w'));
});

it('reads what retention has left of a section', async () => {
  await produce(0, values(10));
  const sections = await wholeTopic();
  await deleteUpTo(0, 7);
  expect(await read(sections)).toEqual(['v7', 'v8', 'v9']);
});

it('ends when a section is emptied while it is read', async () => {
  await produce(0, values(10));
  await produce(1, values(5, 'w'));
  const sections = await wholeTopic();
  let deletion: Promise<void> | undefined;
  const messages = await read(sections, () => {
    deletion ??= Promise.all([deleteUpTo(0, 10), deleteUpTo(1, 5)]).then(() => undefined);
  });
  await deletion;
  expect(messages.length).toBeGreaterThan(0);
});

it.each(['commit', 'abort'] as const)('ends at the marker of a transaction: %s', async (end) => {
  await produce(0, values(3));
  const transactionalId = randomUUID();
  const producer = kafka.producer({ createPartitioner, transactionalId, idempotent: true, maxInFlightRequests: 1 });
  await producer.connect();
  const transaction = await producer.transaction();
  await transaction.send({ topic, messages: values(2, 't').map((value) => ({ value, partition: 0 })) });
  await transaction[end]();
  await producer.disconnect();
  // The marker is written a moment after the answer.
  const sections = await vi.waitFor(async () => {
    const all = await wholeTopic();
    expect(all.map(({ end }) => end)).toContain(6n);
    return all;
  }, limitMs);
  expect(await read(sections)).toEqual(end === 'commit' ? ['t0', 't1', ...values(3)] : values(3));
});

it('ends before the messages of an open transaction', async () => {
  await produce(0, values(3));
  const transactionalId = randomUUID();
  const producer = kafka.producer({ createPartitioner, transactionalId, idempotent: true, maxInFlightRequests: 1 });
  await producer.connect();
  const transaction = await producer.transaction();
  await transaction.send({ topic, messages: [{ value: 'open', partition: 0 }] });
  const end = { topic, partition: 0, from: 0n, end: 4n };
  expect(await read([end, { topic, partition: 1, from: 0n, end: 0n }])).toEqual(values(3));
  await transaction.abort();
  await producer.disconnect();
});
