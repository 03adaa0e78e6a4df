import { eventually } from '@sluice/testing';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Health, Registry } from '@sluice/service';
import { type Kafka } from '@sluice/kafkajs';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { withAdmin } from '../connection/admin.js';
import { type Block, type Rejection } from '../protocol/block.js';
import { BlockConsumer } from '../consume/block-consumer.js';
import { started } from '../consume/started.spec-support.js';
import { createKafka, createPartitioner } from '../connection/client.js';
import { ensureTopics } from '../topics/topics.js';

const valueBytes = 1_000;
const config = {
  KAFKA_BROKERS: inject('kafkaBrokers'),
  TOPIC_PARTITIONS: 12,
  TOPIC_REPLICATION_FACTOR: 1,
  BLOCK_MAX_ROWS: 10_000,
  BLOCK_MAX_BYTES: 1024 * 1024,
  BLOCK_MAX_AGE_MS: 100,
  KAFKA_SESSION_TIMEOUT_MS: 10_000,
  // Room for two full blocks: with one budget for all, two stuck partitions would take everything.
  BLOCK_BUFFER_BYTES: 3 * 1024 * 1024,
};
const timeout = { timeout: 20_000, interval: 50 };

type Handle = (block: Block) => Promise<Rejection[]>;

let sick: string;
let well: string;
let groupId: string;
let kafka: Kafka;
let health: Health;
let registry: Registry;
let consumer: BlockConsumer;
/** Offsets that handlers stored, by topic and partition; a replayed block is stored once. */
let stored: Map<string, Set<string>>;

beforeEach(async () => {
  [sick, well] = [`sick.${randomUUID()}`, `well.${randomUUID()}`];
  groupId = `group-${sick}`;
  kafka = createKafka(config, 'test');
  health = new Health();
  registry = new Registry();
  stored = new Map();
  await ensureTopics(
    kafka,
    config,
    [sick, well].map((name) => ({ name, contract: 'test.v1' })),
  );
});
afterEach(() => consumer.close());

async function consume(handleSick: Handle): Promise<void> {
  consumer = new BlockConsumer(config, groupId, health, registry);
  consumer.addHandler(sick, handleSick, true);
  consumer.addHandler(well, store, true);
  await started(consumer, health, timeout);
}

function store({ topic, partition, messages }: Block): Promise<Rejection[]> {
  const key = `${topic}:${partition}`;
  const offsets = stored.get(key) ?? new Set();
  for (const { offset } of messages) offsets.add(offset);
  stored.set(key, offsets);
  return Promise.resolve([]);
}
const countStored = (topic: string): number =>
  [...stored].filter(([key]) => key.startsWith(`${topic}:`)).reduce((sum, [, { size }]) => sum + size, 0);

async function produce(topic: string, counts: Readonly<Record<number, number>>): Promise<void> {
  const producer = kafka.producer({ createPartitioner });
  await producer.connect();
  for (const [partition, count] of Object.entries(counts)) {
    for (let sent = 0; sent < count; sent += 1_000) {
      const messages = Array.from({ length: Math.min(1_000, count - sent) }, () => ({
        value: 'x'.repeat(valueBytes),
        partition: Number(partition),
      }));
      await producer.send({ topic, acks: -1, messages });
    }
  }
  await producer.disconnect();
}
const everywhere = (count: number) => Object.fromEntries(Array.from({ length: 12 }, (_, i) => [i, count]));

async function stuckSeries(): Promise<Record<string, unknown>[]> {
  const metric = await registry.getSingleMetric('sluice_consumer_stuck_seconds')?.get();
  return (metric?.values ?? []).map(({ labels }) => labels);
}

it('stores all messages of other topics while every block of one fails, and of that one after it recovers', async () => {
  let isUnreachable = true;
  let maxHeld = 0;
  await consume((block) => {
    if (!isUnreachable) return store(block);
    maxHeld = Math.max(maxHeld, block.messages.length);
    return Promise.reject(Object.assign(new Error('gone'), { code: 'UNKNOWN_TABLE' }));
  });
  await produce(sick, everywhere(3_000));
  await eventually(() => expect(maxHeld).toBeGreaterThan(0));

  await produce(well, everywhere(1_000));
  await eventually(() => expect(countStored(well)).toBe(12_000));
  expect(countStored(sick)).toBe(0);
  expect(await stuckSeries()).toContainEqual(
    expect.objectContaining({ topic: sick, what: 'block', code: 'UNKNOWN_TABLE' }),
  );
  expect(health.live.get('consumer')?.()).toMatchObject({
    stuck: expect.arrayContaining([expect.stringContaining(`${sick}:`)]) as string[],
  });

  isUnreachable = false;
  await eventually(() => expect(countStored(sick)).toBe(36_000));
  await eventually(async () => {
    expect(await stuckSeries()).toEqual([]);
  });
}, 120_000);

it('stores all messages of other partitions while blocks of any size of four partitions fail', async () => {
  const isStuck = ({ partition }: Block): boolean => partition < 4;
  await consume((block) => (isStuck(block) ? Promise.reject(new Error('refused')) : store(block)));
  await produce(sick, everywhere(3_000));
  await produce(well, everywhere(500));
  await eventually(() => {
    expect(countStored(sick)).toBe(8 * 3_000);
    expect(countStored(well)).toBe(6_000);
  });
  expect((await stuckSeries()).map(({ partition }) => partition).toSorted()).toEqual([0, 1, 2, 3]);

  // Later messages are stored, too.
  await produce(sick, { 9: 2_000 });
  await eventually(() => expect(stored.get(`${sick}:9`)?.size).toBe(5_000));
}, 120_000);

it('stores all messages of other topics while one table does not answer, and keeps their confirmations at a stop', async () => {
  const { promise, resolve } = new Deferred();
  await consume((block) => promise.then(() => store(block)));
  await produce(sick, everywhere(2_000));
  await sleep(1_000);
  await produce(well, everywhere(1_000));
  await eventually(() => expect(countStored(well)).toBe(12_000));

  await consumer.close();
  const [committed] = await withAdmin(kafka, (admin) => admin.fetchOffsets({ groupId, topics: [well] }));
  expect(committed?.partitions.map(({ offset, metadata }) => [Number(offset), metadata])).toEqual(
    Array.from({ length: 12 }, () => [1_000, null]),
  );
  resolve();
}, 120_000);

/** A promise that the test resolves. */
class Deferred {
  resolve: () => void = () => undefined;
  readonly promise = new Promise<void>((resolve) => {
    this.resolve = resolve;
  });
}
