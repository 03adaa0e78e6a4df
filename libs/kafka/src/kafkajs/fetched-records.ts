import { type createRequire } from 'node:module';
import { type BatchContext, FetchedRecord, type RecordOrigin } from './fetched-record.js';
import { RecordReader } from './record-reader.js';
import { replaceModule } from './replace-module.js';

/** The part of kafkajs' Decoder that is needed: bytes, and how far they are read. */
export interface Decoder {
  readonly buffer: Buffer;
  offset: number;
}

/** What kafkajs makes of a record; ours has the same members. */
type AnyRecord = Pick<FetchedRecord, 'offset' | 'timestamp' | 'key' | 'value' | 'headers'>;
type DecodeMessages = (decoder: Decoder) => Promise<AnyRecord[]>;
interface Codec {
  decompress(bytes: Buffer): Promise<Buffer>;
}

const magicAt = 16;
const recordBatchMagic = 2;
/** Bytes of offset and length, which the length does not count. */
const lengthEnd = 12;
/** Below this many bytes kafkajs does not look for a further batch. */
const leastBatch = 49;
const recordsAt = 61;
const flag = { brokersTime: 0x8, inTransaction: 0x10, control: 0x20 };

/**
 * Replaces kafkajs' reading of what was fetched (protocol/requests/fetch/v4/decodeMessages.js, which all later versions
 * share), which makes 20 objects of a record. The old message format stays its own. A damaged
 * batch is an error; kafkajs may go round in it for ever.
 */
export function replaceFetchDecoding(require: ReturnType<typeof createRequire>): void {
  replaceModule<DecodeMessages>(require, 'kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js', (original) =>
    decodeMessagesWith(require, original),
  );
}

export function decodeMessagesWith(
  require: ReturnType<typeof createRequire>,
  original: DecodeMessages,
): DecodeMessages {
  const { lookupCodecByAttributes } = require('kafkajs/src/protocol/message/compression/index.js') as {
    lookupCodecByAttributes: (attributes: number) => Codec | null;
  };

  return async (decoder) => {
    const from = decoder.offset + 4;
    const size = decoder.buffer.readInt32BE(decoder.offset);
    const end = from + size;
    if (size <= magicAt || end > decoder.buffer.length || decoder.buffer[from + magicAt] !== recordBatchMagic) {
      return original(decoder);
    }
    decoder.offset = end;
    const records: AnyRecord[] = [];
    for (let at = from; end - at >= leastBatch;) {
      const batchEnd = at + lengthEnd + Math.max(decoder.buffer.readInt32BE(at + 8), 0);
      // The last batch may be cut off: the broker counts bytes.
      if (batchEnd > end) break;
      const read = await readBatch(decoder.buffer.subarray(at, batchEnd), lookupCodecByAttributes);
      for (const record of read) records.push(record);
      at = batchEnd;
    }
    return records;
  };
}

/** @throws RangeError when it is damaged, and what the codec throws. */
async function readBatch(batch: Buffer, codecOf: (attributes: number) => Codec | null): Promise<FetchedRecord[]> {
  if (batch.length < recordsAt) throw new RangeError('a batch ends within its head');
  const context = contextOf(batch);
  const origin: RecordOrigin = {
    context,
    firstOffset: exact(batch.readBigInt64BE(0)),
    firstTimestamp: exact(batch.readBigInt64BE(27)),
  };
  const codec = codecOf(batch.readInt16BE(21));
  const records = batch.subarray(recordsAt);
  return readRecords(codec ? await codec.decompress(records) : records, batch.readInt32BE(57), origin);
}

/** A number where that holds it exactly, with room for what a record adds to it. */
const exact = (value: bigint): number | bigint => (value > -(2n ** 51n) && value < 2n ** 51n ? Number(value) : value);

function readRecords(bytes: Buffer, count: number, origin: RecordOrigin): FetchedRecord[] {
  const records: FetchedRecord[] = [];
  const reader = new RecordReader(bytes);
  for (let left = count; left > 0; left--) {
    const at = reader.pass(reader.varInt());
    records.push(new FetchedRecord(origin, bytes, at, reader.at));
  }
  return records;
}

function contextOf(batch: Buffer): BatchContext {
  const attributes = batch.readInt16BE(21);
  return {
    firstOffset: String(batch.readBigInt64BE(0)),
    partitionLeaderEpoch: batch.readInt32BE(12),
    magicByte: batch.readInt8(magicAt),
    inTransaction: (attributes & flag.inTransaction) > 0,
    isControlBatch: (attributes & flag.control) > 0,
    timestampType: (attributes & flag.brokersTime) > 0 ? 1 : 0,
    lastOffsetDelta: batch.readInt32BE(23),
    firstTimestamp: String(batch.readBigInt64BE(27)),
    maxTimestamp: String(batch.readBigInt64BE(35)),
    producerId: String(batch.readBigInt64BE(43)),
    producerEpoch: batch.readInt16BE(51),
    firstSequence: batch.readInt32BE(53),
  };
}
