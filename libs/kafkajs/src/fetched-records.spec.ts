import { createRequire } from 'node:module';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { crc32c } from '@node-rs/crc32';
import fc from 'fast-check';
import type * as kafkajs from 'kafkajs';
import { compressFrameSync } from 'lz4-napi';
import { compressSync } from 'snappy';
import { describe, expect, it } from 'vitest';
import { registerCodecs } from './codecs.js';
import { batchWith, readFetchedOffset, release } from './fetched-batch.js';
import { FetchedRecord } from './fetched-record.js';
import { type Decoder, decodeMessagesWith } from './fetched-records.js';
import { RecordReader } from './record-reader.js';
import { endsUndecodable, undecodableAfter, UndecodableBatch, undecodableBatch } from './undecodable-batch.js';

interface Encoder {
  readonly buffer: Buffer;
  writeInt8(n: number): Encoder;
  writeVarInt(n: number): Encoder;
  writeVarLong(n: bigint): Encoder;
  writeVarIntBytes(bytes: Buffer | null): Encoder;
}
type Decode = (decoder: Decoder) => Promise<FetchedRecord[]>;
type BatchClass = Parameters<typeof batchWith>[0];

// kafkajs' own parts, as they are without ours.
const require = createRequire(import.meta.url);
const KafkaDecoder = require('kafkajs/src/protocol/decoder') as new (bytes: Buffer) => Decoder;
const KafkaEncoder = require('kafkajs/src/protocol/encoder') as new () => Encoder;
const decodeOriginally = require('kafkajs/src/protocol/requests/fetch/v4/decodeMessages') as Decode;
const OriginalBatch = require('kafkajs/src/consumer/batch') as BatchClass;
const { Codecs } = require('kafkajs/src/protocol/message/compression') as { Codecs: Record<number, unknown> };
const decode = decodeMessagesWith(decodeOriginally) as unknown as Decode;

// kafkajs has only gzip; both decoders use the same codecs.
registerCodecs({ CompressionCodecs: Codecs } as unknown as typeof kafkajs);
const compress: Record<number, (bytes: Buffer) => Buffer> = {
  0: (bytes) => bytes,
  1: gzipSync,
  2: (bytes) => compressSync(bytes),
  3: (bytes) => compressFrameSync(bytes),
  4: (bytes) => zstdCompressSync(bytes),
};

interface Batch {
  records: {
    attributes: number;
    timestampDelta: bigint;
    offsetDelta: number;
    key: Buffer | null;
    value: Buffer | null;
    headers: (readonly [string, Buffer | null])[];
  }[];
  firstOffset: bigint;
  firstTimestamp: bigint;
  producerId: bigint;
  codec: number;
  flags: number;
}

function encodeRecord({ attributes, timestampDelta, offsetDelta, key, value, headers }: Batch['records'][number]) {
  const body = new KafkaEncoder().writeInt8(attributes).writeVarLong(timestampDelta).writeVarInt(offsetDelta);
  body.writeVarIntBytes(key).writeVarIntBytes(value).writeVarInt(headers.length);
  for (const [name, bytes] of headers) body.writeVarIntBytes(Buffer.from(name)).writeVarIntBytes(bytes);
  return Buffer.concat([new KafkaEncoder().writeVarInt(body.buffer.length).buffer, body.buffer]);
}

function encodeBatch({ records, firstOffset, firstTimestamp, producerId, codec, flags }: Batch): Buffer {
  const body = compress[codec]?.(Buffer.concat(records.map(encodeRecord))) ?? Buffer.alloc(0);
  const head = Buffer.alloc(61);
  head.writeBigInt64BE(firstOffset, 0);
  head.writeInt32BE(49 + body.length, 8);
  head.writeInt32BE(7, 12);
  head.writeInt8(2, 16);
  head.writeInt16BE(codec | flags, 21);
  head.writeInt32BE(records.at(-1)?.offsetDelta ?? 0, 23);
  head.writeBigInt64BE(firstTimestamp, 27);
  head.writeBigInt64BE(firstTimestamp + 1_000n, 35);
  head.writeBigInt64BE(producerId, 43);
  head.writeInt32BE(records.length, 57);
  return sealed(Buffer.concat([head, body]));
}

/** Writes the right checksum into the batch. */
function sealed(batch: Buffer): Buffer {
  batch.writeUInt32BE(crc32c(batch.subarray(21)), 17);
  return batch;
}

/** Frames a record set as in a fetch response: its length before it, and more of the response after it. */
function framed(set: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(set.length);
  return Buffer.concat([length, set, Buffer.from('what comes next')]);
}

const bytes = fc.option(
  fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)),
  { nil: null },
);
// Names of Object.prototype are left out: kafkajs mistakes its members for a first value.
const name = fc.oneof(
  fc.constantFrom('contract', 'possible-repeat', 'نام'),
  fc.string({ maxLength: 200 }).filter((text) => !(text in {})),
);
const record = fc.record({
  attributes: fc.integer({ min: -128, max: 127 }),
  timestampDelta: fc.oneof(fc.bigInt(-1_000n, 1_000n), fc.bigInt(-(2n ** 62n), 2n ** 62n)),
  key: bytes,
  value: bytes,
  headers: fc.array(fc.tuple(name, bytes), { maxLength: 5 }),
  hole: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 100_000 })),
});
const batch: fc.Arbitrary<Batch> = fc
  .record({
    records: fc.array(record, { maxLength: 30 }),
    firstOffset: fc.oneof(fc.bigInt(0n, 1_000_000n), fc.bigInt(0n, 2n ** 62n)),
    firstTimestamp: fc.oneof(fc.constantFrom(-1n, 1_700_000_000_123n), fc.bigInt(-(2n ** 61n), 2n ** 61n)),
    producerId: fc.bigInt(-1n, 2n ** 62n),
    codec: fc.constantFrom(0, 0, 1, 2, 3, 4),
    // 0x8: the broker's time; 0x10: in a transaction; 0x20: control.
    flags: fc.constantFrom(0, 0, 0x8, 0x10, 0x20, 0x30),
  })
  .map(({ records, ...rest }) => {
    let offsetDelta = -1;
    return {
      ...rest,
      records: records.map(({ hole, ...record }) => ({ ...record, offsetDelta: (offsetDelta += hole) })),
    };
  });

/** All members of a record that kafkajs has, whichever decoder made it. */
const everything = (record: FetchedRecord) => {
  const { magicByte, attributes, timestamp, offset, key, value, headers, isControlRecord, batchContext } = record;
  return { magicByte, attributes, timestamp, offset, key, value, headers, isControlRecord, batchContext };
};

async function decodeBoth(data: Buffer) {
  const decoders = [new KafkaDecoder(data), new KafkaDecoder(data)] as const;
  const [ours, theirs] = [await decode(decoders[0]), await decodeOriginally(decoders[1])];
  return { ours, theirs, ends: decoders.map(({ offset }) => offset) };
}

describe('decodeMessages', () => {
  it('reads the same as kafkajs from any batches, compressed or not, the last one whole or cut off', () =>
    fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 4 }), fc.nat(), async (batches, cutOff) => {
        const whole = Buffer.concat(batches.map(encodeBatch));
        for (const set of [whole, whole.subarray(0, Math.max(17, whole.length - (cutOff % 400)))]) {
          const { ours, theirs, ends } = await decodeBoth(framed(set));
          expect(ours.map(everything)).toEqual(theirs.map(everything));
          expect(ends[0]).toBe(ends[1]);
        }
      }),
      { numRuns: 300 },
    ));

  it('finds each header by its name as kafkajs does', () =>
    fc.assert(
      fc.asyncProperty(batch, async (recordBatch) => {
        const { ours, theirs } = await decodeBoth(framed(encodeBatch(recordBatch)));
        for (const [i, { headers }] of theirs.entries()) {
          for (const header of ['contract', 'possible-repeat', 'none']) {
            expect(ours[i]?.header(header)).toEqual(headers[header]);
          }
        }
      }),
    ));

  it('decodes ordinary batches without copying the values', async () => {
    const record = { attributes: 0, timestampDelta: 0n, offsetDelta: 0, key: null, headers: [] };
    const plain = { firstOffset: 5n, firstTimestamp: 1n, producerId: -1n, codec: 0, flags: 0 };
    const data = framed(encodeBatch({ ...plain, records: [{ ...record, value: Buffer.from('{"a":1}') }] }));
    const [read] = await decode(new KafkaDecoder(data));
    expect(read).toBeInstanceOf(FetchedRecord);
    expect(read?.value?.buffer).toBe(data.buffer);
  });

  it('reads inconsistent records as kafkajs does, or reports the batch as undecodable', () =>
    fc.assert(
      fc.asyncProperty(batch, fc.nat(), fc.integer({ min: 0, max: 255 }), async (recordBatch, position, byte) => {
        const set = encodeBatch({ ...recordBatch, firstOffset: 7n, firstTimestamp: 7n, codec: 0 });
        // Changes a byte within the records, such as one of a length or a count.
        fc.pre(set.length > 61);
        set[61 + (position % (set.length - 61))] = byte;
        const data = framed(sealed(set));
        const ours = await decode(new KafkaDecoder(data));
        if (undecodableAfter(ours)) return;
        expect(ours.map(everything)).toEqual((await decodeOriginally(new KafkaDecoder(data))).map(everything));
      }),
    ));

  it('delivers the records before a batch with any flipped bit, and names that batch', () =>
    fc.assert(
      fc.asyncProperty(batch, batch, batch, fc.nat(), fc.nat(7), async (good, bad, after, position, bit) => {
        const before = encodeBatch(good);
        const wrong = encodeBatch(bad);
        // The checksum does not cover offset and epoch, which the broker sets.
        const from = 16 + (position % (wrong.length - 16));
        wrong[from] = (wrong[from] ?? 0) ^ (1 << bit);
        const decoder = new KafkaDecoder(framed(Buffer.concat([before, wrong, encodeBatch(after)])));
        const read = await decode(decoder);
        expect(read.map(everything)).toEqual((await decode(new KafkaDecoder(framed(before)))).map(everything));
        expect(decoder.offset).toBe(decoder.buffer.length - 'what comes next'.length);
        // A batch of another format ends the reading; the next fetch begins with it.
        if (from === 16) return;
        expect(undecodableAfter(read)).toMatchObject({ code: 'WRONG_CHECKSUM', first: bad.firstOffset });
      }),
      { numRuns: 300 },
    ));

  it('reads any bytes to their end without throwing', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 300 }),
        fc.constantFrom(0, 1, 2),
        async (array, magic) => {
          const set = Buffer.from(array);
          if (set.length > 16) set[16] = magic;
          const decoder = new KafkaDecoder(framed(set));
          await decode(decoder);
          expect(decoder.offset).toBe(4 + set.length);
        },
      ),
      { numRuns: 1_000 },
    ));

  describe('of a batch with a correct checksum', () => {
    const record = { attributes: 0, timestampDelta: 0n, key: null, value: Buffer.from('{}'), headers: [] };
    const batch = { firstOffset: 5n, firstTimestamp: 1n, producerId: -1n, codec: 0, flags: 0 };
    const two = encodeBatch({ ...batch, records: [0, 1].map((offsetDelta) => ({ ...record, offsetDelta })) });
    const changed = (change: (bytes: Buffer) => void): Buffer => {
      const bytes = Buffer.from(two);
      change(bytes);
      return sealed(bytes);
    };
    const zeros = Buffer.alloc(100_000_000);
    const large = (codec: number): Buffer => withRecords(compress[codec]?.(zeros) ?? zeros, codec);
    const withRecords = (records: Buffer, codec: number): Buffer => {
      const bytes = Buffer.concat([two.subarray(0, 61), records]);
      bytes.writeInt32BE(bytes.length - 12, 8);
      bytes.writeInt16BE(codec, 21);
      return sealed(bytes);
    };
    it.each([
      ['codec 5', 'UNKNOWN_CODEC', changed((bytes) => bytes.writeInt16BE(5, 21))],
      ['codec 7', 'UNKNOWN_CODEC', changed((bytes) => bytes.writeInt16BE(7, 21))],
      ['more records than it has', 'MALFORMED', changed((bytes) => bytes.writeInt32BE(3, 57))],
      ['fewer records than it has', 'MALFORMED', changed((bytes) => bytes.writeInt32BE(1, 57))],
      ['a negative number of records', 'MALFORMED', changed((bytes) => bytes.writeInt32BE(-2, 57))],
      ['a last offset before that of a record', 'MALFORMED', changed((bytes) => bytes.writeInt32BE(0, 23))],
      [
        'two records of one offset',
        'MALFORMED',
        encodeBatch({ ...batch, records: [0, 0].map((offsetDelta) => ({ ...record, offsetDelta })) }),
      ],
      ['the largest possible number of records', 'TOO_LARGE', changed((bytes) => bytes.writeInt32BE(2 ** 31 - 1, 57))],
      ['invalid gzip', 'NOT_DECOMPRESSED', withRecords(Buffer.from('no gzip at all'), 1)],
      ['invalid snappy', 'NOT_DECOMPRESSED', withRecords(Buffer.from('no snappy at all'), 2)],
      ['invalid lz4', 'NOT_DECOMPRESSED', withRecords(Buffer.from('no lz4 at all'), 3)],
      ['invalid zstd', 'NOT_DECOMPRESSED', withRecords(Buffer.from('no zstd at all'), 4)],
      ['empty gzip', 'NOT_DECOMPRESSED', withRecords(Buffer.alloc(0), 1)],
      ['empty snappy', 'NOT_DECOMPRESSED', withRecords(Buffer.alloc(0), 2)],
      ['empty lz4', 'NOT_DECOMPRESSED', withRecords(Buffer.alloc(0), 3)],
      ['empty zstd', 'NOT_DECOMPRESSED', withRecords(Buffer.alloc(0), 4)],
      ['100 MB of zeros in gzip', 'TOO_LARGE', large(1)],
      ['100 MB of zeros in snappy', 'TOO_LARGE', large(2)],
      ['100 MB of zeros in lz4', 'TOO_LARGE', large(3)],
      ['100 MB of zeros in zstd', 'TOO_LARGE', large(4)],
      ['a length beyond the answer', 'MALFORMED', changed((bytes) => bytes.writeInt32BE(2 ** 31 - 1, 8))],
      ['a negative length', 'MALFORMED', changed((bytes) => bytes.writeInt32BE(-1, 8))],
    ])('reports %s as %s', async (_, code, bytes) => {
      const read = await decode(new KafkaDecoder(framed(bytes)));
      expect(read).toEqual([]);
      expect(undecodableAfter(read)).toMatchObject({ code, first: 5n });
    });

    it('leaves batches that would take too much memory to the next fetch', async () => {
      const value = Buffer.alloc(10_000_000);
      const batches = [0, 1, 2, 3, 4].map((i) =>
        encodeBatch({ ...batch, codec: 4, firstOffset: BigInt(i), records: [{ ...record, offsetDelta: 0, value }] }),
      );
      const partition = framed(Buffer.concat(batches));
      const decoder = new KafkaDecoder(Buffer.concat([partition, partition]));
      expect((await decode(decoder)).map(({ offset }) => offset)).toEqual(['0', '1', '2', '3']);
      decoder.offset = partition.length;
      const otherDecoded = await decode(decoder);
      expect(otherDecoded).toEqual([]);
      expect(undecodableAfter(otherDecoded)).toBeUndefined();
      expect(await decode(new KafkaDecoder(framed(batches[4] ?? Buffer.alloc(0))))).toHaveLength(1);
    });
  });
});

describe('Batch', () => {
  const Batch = batchWith(OriginalBatch);
  const view = (kafkaBatch: object) => {
    const { messages, rawMessages, messagesWithinOffset } = kafkaBatch as Record<string, FetchedRecord[]>;
    const methods = kafkaBatch as Record<'isEmpty' | 'firstOffset' | 'lastOffset' | 'offsetLag', () => unknown>;
    const offsets = [messages, rawMessages, messagesWithinOffset].map((all) => all?.map(({ offset }) => offset));
    return [offsets, methods.isEmpty(), methods.firstOffset(), methods.lastOffset(), methods.offsetLag()];
  };

  it('has the same messages as kafkajs: none before the requested offset, none aborted, no control records', () =>
    fc.assert(
      fc.asyncProperty(fc.array(batch, { maxLength: 3 }), fc.nat(200), fc.boolean(), async (some, from, aborted) => {
        let base = 0n;
        const ordered = some.map((record) => {
          const firstOffset = base;
          base += BigInt(record.records.at(-1)?.offsetDelta ?? 0) + 1n;
          return { ...record, firstOffset, producerId: 3n };
        });
        const messages = await decode(new KafkaDecoder(framed(Buffer.concat(ordered.map(encodeBatch)))));
        const abortedTransactions = aborted ? [{ producerId: '3', firstOffset: '0' }] : [];
        const data = { messages, abortedTransactions, highWatermark: String(base), partition: 0 };
        expect(view(new Batch('t', String(from), data))).toEqual(view(new OriginalBatch('t', String(from), data)));
      }),
    ));
});

describe('release', () => {
  const Batch = batchWith(OriginalBatch);
  const lists = (kafkaBatch: object): unknown[] => Object.values(kafkaBatch).filter((value) => Array.isArray(value));

  it('empties every list of messages in a batch, and copies only the last message out of its answer', async () => {
    const value = Buffer.alloc(300, 'x');
    const records = [0, 1, 2].map((offsetDelta) => ({
      attributes: 0,
      timestampDelta: 0n,
      offsetDelta,
      key: null,
      value,
      headers: [],
    }));
    const whole = { records, firstOffset: 5n, firstTimestamp: 1n, producerId: -1n, codec: 0, flags: 0 };
    const messages = await decode(new KafkaDecoder(framed(encodeBatch(whole))));
    const kafkaBatch = new Batch('t', '6', { messages });
    expect(lists(kafkaBatch)).toEqual([messages, messages.slice(1), messages.slice(1)]);
    const [first, last] = [messages[0], messages[2]];
    const answer = last?.pinned;

    release(kafkaBatch);

    expect(lists(kafkaBatch)).toEqual([[], [], []]);
    expect([last?.offset, last?.value?.equals(value)]).toEqual(['7', true]);
    expect(last?.pinned).not.toBe(answer);
    expect(first?.pinned).toBe(answer);
    expect(readFetchedOffset(kafkaBatch)).toBe('6');
  });
});

describe('Batch before one that cannot be decoded', () => {
  const Batch = batchWith(OriginalBatch);
  const undecodable = new UndecodableBatch('WRONG_CHECKSUM', 9n, 12n);
  const makeBatch = (messages: FetchedRecord[]) =>
    new Batch('t', '9', { messages: endsUndecodable(messages, undecodable), abortedTransactions: [] });

  it('is handed over even without messages, and does not advance the position', () => {
    const batch = makeBatch([]);
    expect(undecodableBatch(batch)).toBe(undecodable);
    expect([batch.isEmpty(), batch.lastOffset()]).toEqual([false, '8']);
  });
});

describe('RecordReader', () =>
  it('reads every number of 32 and of 64 bits', () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 62n), 2n ** 62n), (n) => {
        expect(BigInt(new RecordReader(new KafkaEncoder().writeVarLong(n).buffer).varLong())).toBe(n);
      }),
    );
    fc.assert(
      fc.property(fc.integer(), (n) => {
        expect(new RecordReader(new KafkaEncoder().writeVarInt(n).buffer).varInt()).toBe(n);
      }),
    );
  }));
