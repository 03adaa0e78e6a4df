import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32c } from '@node-rs/crc32';
import { Health, Registry } from '@sluice/service';
import { eventually, freePort, type RunningKafka, startKafka } from '@sluice/testing';
import { batchHead, CompressionTypes, type Kafka } from '@sluice/kafkajs';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { withAdmin } from '../connection/admin.js';
import { BlockConsumer } from './block-consumer.js';
import { createKafka, createPartitioner } from '../connection/client.js';
import { CompactedTopicFollower } from '../follow/compacted-topic.js';
import { readSections } from '../dead-letters/read-sections.js';

// A separate Kafka, because its log is damaged while it is stopped.
let folder: string;
let port: number;
let server: RunningKafka;
let kafka: Kafka;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-test-'));
  port = await freePort();
  server = await startKafka({ dataDir: folder, port });
  kafka = createKafka({ KAFKA_BROKERS: server.brokers }, 'test');
}, 60_000);
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const running: BlockConsumer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((consumer) => consumer.close()));
});

const make = (topic: string, numPartitions: number, compression = 'producer') =>
  withAdmin(kafka, (admin) => {
    const configEntries = [{ name: 'compression.type', value: compression }];
    return admin.createTopics({ topics: [{ topic, numPartitions, replicationFactor: 1, configEntries }] });
  });

async function produce(topic: string, partition: number, values: readonly string[], isCompressed = false) {
  const producer = kafka.producer({ createPartitioner });
  await producer.connect();
  await producer.send({
    topic,
    messages: values.map((value) => ({ value, partition })),
    ...(isCompressed && { compression: CompressionTypes.ZSTD }),
  });
  await producer.disconnect();
}

const some = (name: string, count = 200): string[] =>
  Array.from({ length: count }, (_, i) => JSON.stringify({ name, i, text: 'of the same '.repeat(i % 7) }));

const logFolder = (topic: string, partition: number): string =>
  join(folder, 'broker-1', 'data', `${topic}-${partition}`, '00000000000000000000.log');

/** The batches of a log as views of its bytes. */
async function readBatches(topic: string, partition: number): Promise<{ bytes: Buffer; batches: Buffer[] }> {
  const bytes = await readFile(logFolder(topic, partition));
  const batches: Buffer[] = [];
  for (let position = 0; position < bytes.length; position += batches.at(-1)?.length ?? bytes.length) {
    batches.push(bytes.subarray(position, position + batchHead.byteLength(bytes, position)));
  }
  return { bytes, batches };
}

/** Changes the second batch of a partition while Kafka is stopped. */
async function change(topic: string, partition: number, damage: (batch: Buffer) => void): Promise<void> {
  const { bytes, batches } = await readBatches(topic, partition);
  damage(batches[1] ?? Buffer.alloc(0));
  await writeFile(logFolder(topic, partition), bytes);
}

async function whileStopped(work: () => Promise<void>): Promise<void> {
  await server.stop();
  await work();
  server = await startKafka({ dataDir: folder, port });
}

/** Starts a consumer; returns the values that its handlers took from each partition, its metrics and its group. */
async function consume(topics: readonly string[], groupId = `group-${randomUUID()}`) {
  const taken = new Map<string, string[]>();
  const registry = new Registry();
  const config = {
    KAFKA_BROKERS: server.brokers,
    TOPIC_PARTITIONS: 2,
    TOPIC_REPLICATION_FACTOR: 1,
    BLOCK_MAX_ROWS: 1_000,
    BLOCK_MAX_BYTES: 1024 * 1024,
    BLOCK_MAX_AGE_MS: 100,
    KAFKA_SESSION_TIMEOUT_MS: 10_000,
    BLOCK_BUFFER_BYTES: 96 * 1024 * 1024,
  };
  const consumer = new BlockConsumer(config, groupId, new Health(), registry);
  for (const topic of topics) {
    const handler = ({ partition, messages }: { partition: number; messages: readonly { value: Buffer | null }[] }) => {
      const key = `${topic}:${partition}`;
      taken.set(key, [...(taken.get(key) ?? []), ...messages.map(({ value }) => String(value))]);
      return Promise.resolve([]);
    };
    consumer.addHandler(topic, handler, true);
  }
  running.push(consumer);
  await new Promise((resolve) => void consumer.listen(resolve));
  return { taken: (topic: string, partition: number) => taken.get(`${topic}:${partition}`) ?? [], registry, groupId };
}

it.each([
  ['gzip', 1],
  ['snappy', 2],
  ['lz4', 3],
  ['zstd', 4],
])('reads what Kafka has compressed with %s', { timeout: 90_000 }, async (name, codec) => {
  const topic = `compressed.${name}`;
  await make(topic, 1, name);
  await produce(topic, 0, some('small', 1));
  await produce(topic, 0, some('many', 3_000));
  await produce(topic, 0, ['x'.repeat(900_000)]);

  const { taken } = await consume([topic]);
  await eventually(() =>
    expect(taken(topic, 0)).toEqual([...some('small', 1), ...some('many', 3_000), 'x'.repeat(900_000)]),
  );
  const { batches } = await readBatches(topic, 0);
  expect(batches.map((batch) => batch.readInt16BE(21) & 0x7)).toEqual([codec, codec, codec]);
});

const reseal = (batch: Buffer): void => void batch.writeUInt32BE(crc32c(batch.subarray(21)), 17);
const damages: Record<string, (batch: Buffer) => void> = {
  WRONG_CHECKSUM: (batch) => {
    batch[100] = (batch[100] ?? 0) ^ 1;
  },
  UNKNOWN_CODEC: (batch) => {
    batch.writeInt16BE(5, 21);
    reseal(batch);
  },
  NOT_DECOMPRESSED: (batch) => {
    batch.fill(0xff, 80, 160);
    reseal(batch);
  },
  MALFORMED: (batch) => {
    batch.writeInt32BE(batch.readInt32BE(57) + 1, 57);
    reseal(batch);
  },
};

it('a batch that cannot be decoded stops only its partition', { timeout: 400_000 }, async () => {
  const damaged = (code: string): string => `damaged-${randomUUID().slice(0, 4)}.${code}`;
  const codeIn = (topic: string): string => topic.replace(/.*\./, '');
  const topics = Object.keys(damages).map(damaged);
  for (const topic of topics) {
    await make(topic, 2, 'lz4');
    for (const name of ['before', 'damaged', 'after']) await produce(topic, 0, some(name));
    await produce(topic, 1, some('next'));
  }
  const tooLarge = damaged('TOO_LARGE');
  const [wrongChecksum = ''] = topics;
  await make(tooLarge, 2);
  await produce(tooLarge, 0, some('before'));
  await produce(tooLarge, 0, ['\0'.repeat(70_000_000)], true);
  await produce(tooLarge, 0, some('after'));
  await produce(tooLarge, 1, some('next'));
  const whole = new Map<string, Buffer>();
  await whileStopped(async () => {
    for (const topic of topics) {
      whole.set(topic, await readFile(logFolder(topic, 0)));
      await change(topic, 0, damages[codeIn(topic)] ?? (() => undefined));
    }
  });
  topics.push(tooLarge);

  const { taken, registry, groupId } = await consume(topics);
  await eventually(async () => {
    for (const topic of topics) {
      expect(taken(topic, 0)).toEqual(some('before'));
      expect(taken(topic, 1)).toEqual(some('next'));
    }
    const metric = await registry.getSingleMetric('sluice_consumer_stuck_seconds')?.get();
    expect(metric?.values.map(({ labels }) => labels)).toEqual(
      expect.arrayContaining(
        topics.map((topic) => ({ topic, partition: 0, what: 'undecodable', code: codeIn(topic) })),
      ),
    );
  });

  // Offsets before the batch are committed; those in it and after it are not.
  await eventually(async () => {
    const committed = await withAdmin(kafka, (admin) => admin.fetchOffsets({ groupId, topics }));
    for (const { partitions } of committed) {
      expect(partitions.find(({ partition }) => partition === 0)).toMatchObject({ offset: '200', metadata: null });
    }
  });

  // Readers other than the consumer get an error that names the batch.
  const section = { topic: wrongChecksum, partition: 0, from: 0n, end: 600n };
  const empty = { ...section, partition: 1, end: 0n };
  const error = { code: 'WRONG_CHECKSUM', first: 200n, last: 399n };
  await expect(readSections(kafka, [section, empty], () => undefined)).rejects.toMatchObject(error);
  await expect(readSections(kafka, [{ ...section, end: 150n }, empty], () => undefined)).resolves.toBeUndefined();

  // Two remedies: delete the log up to and including the batch, or repair it.
  await withAdmin(kafka, async (admin) => {
    await admin.fetchTopicOffsets(tooLarge); // kafkajs must know the leader
    await admin.deleteTopicRecords({ topic: tooLarge, partitions: [{ partition: 0, offset: '201' }] });
  });
  await eventually(() => expect(taken(tooLarge, 0)).toEqual([...some('before'), ...some('after')]));
  // kafkajs gives up on a Kafka that is down for long, which ends the process of a service. The next process goes on.
  await Promise.all(running.splice(0).map((consumer) => consumer.close()));
  await whileStopped(async () => {
    for (const [topic, bytes] of whole) await writeFile(logFolder(topic, 0), bytes);
  });
  const next = await consume(topics, groupId);
  await eventually(() => {
    for (const topic of whole.keys()) expect(next.taken(topic, 0)).toEqual([...some('damaged'), ...some('after')]);
  });
  expect((await next.registry.getSingleMetric('sluice_consumer_stuck_seconds')?.get())?.values).toEqual([]);
});

it('the follower of a compacted topic reports a batch that cannot be decoded', { timeout: 120_000 }, async () => {
  await make('compacted', 1);
  for (const name of ['a', 'b', 'c']) await produce('compacted', 0, some(name, 1));
  await whileStopped(() => change('compacted', 0, damages['UNKNOWN_CODEC'] ?? (() => undefined)));
  const follower = new CompactedTopicFollower(kafka, 'compacted', () => ({
    take: () => undefined,
    caughtUp: () => undefined,
  }));

  await eventually(async () => {
    await expect(follower.start()).rejects.toMatchObject({ code: 'UNKNOWN_CODEC', first: 1n });
  });
  await follower.stop();
});
