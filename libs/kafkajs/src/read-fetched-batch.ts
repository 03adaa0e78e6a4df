// Takes the place of kafkajs/src/protocol/recordBatch/v0/decoder.js.
import { crc32c } from '@node-rs/crc32';
import { codecs } from './codecs.js';
import { maxBatchBytes, recordBytes } from './decoding-limits.js';
import { type BatchContext, FetchedRecord, type RecordOrigin } from './fetched-record.js';
import { RecordReader } from './record-reader.js';
import { TooLargeError } from './too-large-error.js';
import { type BatchDamage, UndecodableBatch } from './undecodable-batch.js';

/** Bytes of the offset and the length, which the length does not include. */
const lengthEnd = 12;
const lastOffsetDeltaAt = 23;
const crcAt = 17;
const crcFrom = 21;
const recordsAt = 61;
const flag = { codec: 0x7, brokersTime: 0x8, inTransaction: 0x10, control: 0x20 };

/** Reads the head of a record batch without its records. */
export const batchHead = {
  magic: 16,
  ourMagic: 2,
  /** Bytes of the whole batch that begins at `at`. */
  byteLength: (bytes: Buffer, start: number): number => lengthEnd + Math.max(bytes.readInt32BE(start + 8), 0),
  /** First and last offset. If its bytes are missing, the first is 0, or the last is the same as the first. */
  offsetRange(batch: Buffer): [first: bigint, last: bigint] {
    const first = batch.length < 8 ? 0n : batch.readBigInt64BE(0);
    const delta = batch.length < recordsAt || batch[batchHead.magic] !== batchHead.ourMagic ? 0 : readLastDelta(batch);
    return [first, first + BigInt(Math.max(delta, 0))];
  },
};

const readLastDelta = (batch: Buffer): number => batch.readInt32BE(lastOffsetDeltaAt);

interface ReadBatch {
  readonly records: FetchedRecord[];
  readonly memoryBytes: number;
}

/** Decodes a whole record batch. @throws UndecodableBatch only */
export async function readFetchedBatch(batch: Buffer): Promise<ReadBatch> {
  const makeError = (code: BatchDamage, cause?: unknown) =>
    new UndecodableBatch(code, ...batchHead.offsetRange(batch), { cause });
  if (batch.length < recordsAt) throw makeError('MALFORMED');
  if (crc32c(batch.subarray(crcFrom)) !== batch.readUInt32BE(crcAt)) throw makeError('WRONG_CHECKSUM');
  const decompress = codecs[batch.readInt16BE(crcFrom) & flag.codec];
  if (!decompress) throw makeError('UNKNOWN_CODEC');
  const count = batch.readInt32BE(57);
  const room = maxBatchBytes - count * recordBytes;
  if (room <= 0) throw makeError('TOO_LARGE');
  let plain: Buffer;
  try {
    plain = await decompress(batch.subarray(recordsAt), room);
  } catch (error) {
    throw makeError(error instanceof TooLargeError ? 'TOO_LARGE' : 'NOT_DECOMPRESSED', error);
  }
  try {
    return { records: readRecords(plain, count, batch), memoryBytes: plain.length + count * recordBytes };
  } catch (error) {
    throw makeError('MALFORMED', error);
  }
}

/** @throws RangeError unless there are exactly as many records as the head says, in the order of their offsets */
function readRecords(bytes: Buffer, count: number, batch: Buffer): FetchedRecord[] {
  const origin: RecordOrigin = {
    context: readContext(batch),
    firstOffset: exact(batch.readBigInt64BE(0)),
    firstTimestamp: exact(batch.readBigInt64BE(27)),
  };
  const records: FetchedRecord[] = [];
  const reader = new RecordReader(bytes);
  let delta = -1;
  for (let remaining = count; remaining > 0; remaining--) {
    const start = reader.pass(reader.varInt());
    const record = new FetchedRecord(origin, bytes, start, reader.position);
    // Messages are identified by offset: two of one offset would count as one.
    if (record.offsetDelta <= delta) throw new RangeError('offsets of a batch do not ascend');
    delta = record.offsetDelta;
    records.push(record);
  }
  if (count < 0 || reader.position !== bytes.length || delta > readLastDelta(batch)) {
    throw new RangeError('the records of a batch do not match its head');
  }
  return records;
}

/** A number if it stays exact after a record's delta is added, else a bigint. */
const exact = (value: bigint): number | bigint => (value > -(2n ** 51n) && value < 2n ** 51n ? Number(value) : value);

function readContext(batch: Buffer): BatchContext {
  const attributes = batch.readInt16BE(crcFrom);
  return {
    firstOffset: String(batch.readBigInt64BE(0)),
    partitionLeaderEpoch: batch.readInt32BE(12),
    magicByte: batch.readInt8(batchHead.magic),
    inTransaction: (attributes & flag.inTransaction) > 0,
    isControlBatch: (attributes & flag.control) > 0,
    timestampType: (attributes & flag.brokersTime) > 0 ? 1 : 0,
    lastOffsetDelta: readLastDelta(batch),
    firstTimestamp: String(batch.readBigInt64BE(27)),
    maxTimestamp: String(batch.readBigInt64BE(35)),
    producerId: String(batch.readBigInt64BE(43)),
    producerEpoch: batch.readInt16BE(51),
    firstSequence: batch.readInt32BE(53),
  };
}
