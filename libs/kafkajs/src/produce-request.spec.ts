import { createRequire } from 'node:module';
import fc from 'fast-check';
import type { Message } from 'kafkajs';
import { expect, it, vi } from 'vitest';
import './patched.js'; // kafkajs reads zstd with our codec
import { encodeProduce } from './produce-request.js';
import { type Compress, recordBatch } from './record-batch.js';
import { zstd } from './zstd.js';

interface Decoded {
  records: { key: Buffer | null; value: Buffer | null; headers: Record<string, Buffer | Buffer[]> }[];
}

const require = createRequire(import.meta.url);
const producePath = 'kafkajs/src/protocol/requests/produce/v3/request.js';
type Encode = (parameters: object) => { encode: () => Promise<{ readonly buffer: Buffer }> };
const patchedRequest = require(producePath) as Encode;
// kafkajs' own request: loaded again, it is not replaced.
Reflect.deleteProperty(require.cache, require.resolve(producePath));
const originalRequest = require(producePath) as Encode;
/** kafkajs' own decoder of record batches, which checks nothing but decodes everything. */
const Decoder = require('kafkajs/src/protocol/decoder') as new (bytes: Buffer) => unknown;
const decode = require('kafkajs/src/protocol/recordBatch/v0/decoder') as (decoder: unknown) => Promise<Decoded>;
const crc32C = require('kafkajs/src/protocol/recordBatch/crc32C') as (bytes: Buffer) => number;

function write(messages: readonly Message[], compress?: Compress): Buffer {
  const batch = recordBatch(messages, 1_700_000_000_123, compress);
  const bytes = Buffer.alloc(batch.length);
  batch.write(bytes, 0);
  return bytes;
}

const text = fc.string({ unit: 'grapheme', maxLength: 300 });
const message = fc.record({
  key: fc.option(
    fc.oneof(
      text,
      text.map((value) => Buffer.from(value)),
    ),
    { nil: null },
  ),
  value: fc.option(
    fc.oneof(
      text,
      text.map((value) => Buffer.from(value)),
    ),
    { nil: null },
  ),
  headers: fc.dictionary(
    fc.stringMatching(/^[a-z]+-[a-z]+$/),
    fc.oneof(text, fc.array(text, { minLength: 2, maxLength: 3 })),
  ),
});

const toBytes = (value: Buffer | string | null): Buffer | null =>
  value === null ? null : Buffer.from(value as string);

it('writes batches that kafkajs reads back, with the checksum that kafkajs computes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 200 }), async (messages) => {
      const bytes = write(messages);
      expect(bytes.readUInt32BE(17)).toBe(crc32C(bytes.subarray(21)));
      expect(bytes.readInt32BE(8)).toBe(bytes.length - 12);
      const countedMessages = messages.map((sent) => ({ ...sent, valueBytes: Buffer.byteLength(sent.value ?? '') }));
      expect(write(countedMessages).equals(bytes)).toBe(true);

      const { records } = await decode(new Decoder(bytes));
      expect(records.map(({ key, value }) => [key, value])).toEqual(
        messages.map(({ key, value }) => [toBytes(key), toBytes(value)]),
      );
      expect(
        records.map(({ headers }) =>
          Object.entries(headers).map(([name, values]) => [name, [values].flat().map(String)]),
        ),
      ).toEqual(
        messages.map(({ headers }) => Object.entries(headers).map(([name, values]) => [name, [values].flat()])),
      );
    }),
    { numRuns: 100 },
  );
});

/** Writes -1 for the leader epoch of every batch, as ours and Kafka's do. The checksum leaves it out. */
function withUnknownLeaders(request: Buffer): Buffer {
  let position = 12;
  for (let topics = request.readInt32BE(8); topics > 0; topics--) {
    position += 2 + request.readInt16BE(position);
    let partitions = request.readInt32BE(position);
    for (position += 4; partitions > 0; partitions--) {
      request.writeInt32BE(-1, position + 8 + 12);
      position += 8 + request.readInt32BE(position + 4);
    }
  }
  return request;
}

it('encodes a request as kafkajs does, byte for byte', async () => {
  const partition = fc.record({
    partition: fc.nat(100),
    messages: fc.array(message, { minLength: 1, maxLength: 20 }),
  });
  const topicData = fc.array(
    fc.record({ topic: fc.string({ maxLength: 30 }), partitions: fc.array(partition, { maxLength: 4 }) }),
    { maxLength: 4 },
  );
  const now = vi.spyOn(Date, 'now').mockReturnValue(1_700_000_000_123);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(-1, 0, 1), fc.nat(100_000), topicData, async (acks, timeout, topics) => {
      // kafkajs writes 0 for an epoch and a sequence that do not exist, ours -1; Kafka ignores both.
      const unnumbered = topics.map((topicEntry) => ({
        ...topicEntry,
        partitions: topicEntry.partitions.map((part) => ({ ...part, firstSequence: -1 })),
      }));
      const request = originalRequest({ acks, timeout, topicData: unnumbered, producerEpoch: -1 });
      const { buffer } = await request.encode();
      const ours = encodeProduce({ acks, timeout, topicData: topics }, Date.now());
      expect(ours.equals(withUnknownLeaders(buffer))).toBe(true);
    }),
    { numRuns: 200 },
  );
  now.mockRestore();
});

it('compresses large batches with zstd, so that kafkajs reads the same', async () => {
  const values = Array.from({ length: 200 }, (_, i) => `a row that is much like the others, ${i} `.repeat(3));
  const messages = values.map((value, i) => ({ key: `k${i}`, value }));
  const bytes = write(messages, zstd);
  expect(bytes.length).toBeLessThan(write(messages).length / 3);
  expect(bytes.readUInt32BE(17)).toBe(crc32C(bytes.subarray(21)));
  const { records } = await decode(new Decoder(bytes));
  expect(records.map(({ value }) => String(value))).toEqual(values);

  expect(write(messages.slice(0, 3), zstd)).toEqual(write(messages.slice(0, 3)));
});

it('frames every partition of every topic', () => {
  const topicData = ['a', 'topic.ü'].map((topic) => ({
    topic,
    partitions: [0, 11].map((partition) => ({ partition, messages: [{ key: 'k', value: `${topic}-${partition}` }] })),
  }));

  const bytes = encodeProduce({ acks: -1, timeout: 4_000, topicData }, 1_700_000_000_123);

  expect(bytes.readInt16BE(0)).toBe(-1);
  expect(bytes.readInt16BE(2)).toBe(-1);
  expect(bytes.readInt32BE(4)).toBe(4_000);
  expect(bytes.readInt32BE(8)).toBe(2);
  let position = 12;
  for (const { topic, partitions } of topicData) {
    const nameLength = bytes.readInt16BE(position);
    expect(bytes.toString('utf8', position + 2, position + 2 + nameLength)).toBe(topic);
    position += 2 + nameLength;
    expect(bytes.readInt32BE(position)).toBe(2);
    position += 4;
    for (const { partition, messages } of partitions) {
      expect(bytes.readInt32BE(position)).toBe(partition);
      expect(bytes.readInt32BE(position + 4)).toBe(recordBatch(messages, 1_700_000_000_123).length);
      position += 8 + bytes.readInt32BE(position + 4);
    }
  }
  expect(position).toBe(bytes.length);
});

it('does not send messages that waited in kafkajs beyond their deadline', async () => {
  const encode = (sendBefore: number) => {
    const messages = [{ key: 'k', value: 'v', headers: {}, sendBefore }];
    return patchedRequest({
      acks: -1,
      timeout: 1,
      topicData: [{ topic: 't', partitions: [{ partition: 0, messages }] }],
    }).encode();
  };
  await expect(encode(performance.now() + 10_000)).resolves.toBeDefined();
  await expect(encode(performance.now() - 1)).rejects.toThrow('waited for its connection beyond its deadline');
});
