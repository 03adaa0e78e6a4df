// Takes the place of kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js.
import { type createRequire } from 'node:module';
import { enoughAnswerBytes } from './decoding-limits.js';
import { type FetchedRecord } from './fetched-record.js';
import { batchHead, readFetchedBatch } from './read-fetched-batch.js';
import { replaceModule } from './replace-module.js';
import { endsUndecodable, UndecodableBatch } from './undecodable-batch.js';

/** The part of kafkajs' Decoder that is needed: bytes, and how far they are read. */
export interface Decoder {
  readonly buffer: Buffer;
  offset: number;
}

/** The members of a record, kafkajs' or ours. */
type AnyRecord = Pick<FetchedRecord, 'offset' | 'timestamp' | 'key' | 'value' | 'headers'>;
type DecodeMessages = (decoder: Decoder) => Promise<AnyRecord[]>;

/** Bytes below which a batch counts as cut off. */
const minBatch = 49;

/**
 * Replaces kafkajs' decoding of fetched messages in all versions of the request: it makes 20 objects of each record.
 * Message formats before Kafka 0.11 stay kafkajs' own. The replacement never throws because of the content of a
 * partition: that would lose the other partitions of the answer and stop the consumer. A batch that cannot be decoded
 * ends the records of its partition (undecodable-batch.ts).
 */
export function replaceFetchDecoding(require: ReturnType<typeof createRequire>): void {
  replaceModule<DecodeMessages>(
    require,
    'kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js',
    decodeMessagesWith,
  );
}

export function decodeMessagesWith(original: DecodeMessages): DecodeMessages {
  /** Memory that the partitions of an answer take so far; all are read by one decoder. */
  const takenBytes = new WeakMap<Decoder, number>();

  return async (decoder) => {
    const from = decoder.offset + 4;
    const size = decoder.buffer.readInt32BE(decoder.offset);
    const end = from + size;
    if (size <= 0 || end > decoder.buffer.length) return original(decoder);
    const set = decoder.buffer.subarray(from, end);
    if (size > batchHead.magic && set[batchHead.magic] !== batchHead.ourMagic) return decodeOld(original, decoder, set);
    decoder.offset = end;
    const { records, memoryBytes } = await readBatches(set, enoughAnswerBytes - (takenBytes.get(decoder) ?? 0));
    takenBytes.set(decoder, (takenBytes.get(decoder) ?? 0) + memoryBytes);
    return records;
  };
}

/** Reads batches until `enough` bytes of memory are taken; the others are fetched again, from where these end. */
async function readBatches(set: Buffer, enough: number): Promise<{ records: FetchedRecord[]; memoryBytes: number }> {
  const records: FetchedRecord[] = [];
  let memoryBytes = 0;
  for (let position = 0; position < set.length && memoryBytes < enough;) {
    const batchEnd = set.length - position < minBatch ? Infinity : position + batchHead.byteLength(set, position);
    // The broker counts bytes and may cut off the last batch, but never the first.
    const isCutOff = batchEnd > set.length;
    if (position > 0 && (isCutOff || set[position + batchHead.magic] !== batchHead.ourMagic)) break;
    try {
      if (isCutOff) throw new UndecodableBatch('MALFORMED', ...batchHead.offsetRange(set));
      const batch = await readFetchedBatch(set.subarray(position, batchEnd));
      for (const record of batch.records) records.push(record);
      memoryBytes += batch.memoryBytes;
    } catch (error) {
      if (!(error instanceof UndecodableBatch)) throw error;
      return { records: endsUndecodable(records, error), memoryBytes };
    }
    position = batchEnd;
  }
  return { records, memoryBytes };
}

/** Decodes messages of formats 0 and 1. They have no headers, and in format 0 no timestamp. */
async function decodeOld(original: DecodeMessages, decoder: Decoder, set: Buffer): Promise<AnyRecord[]> {
  const end = decoder.offset + 4 + set.length;
  try {
    const messages: (Partial<AnyRecord> & Pick<AnyRecord, 'offset' | 'key' | 'value'>)[] = await original(decoder);
    return messages.map((message) => ({ timestamp: '-1', headers: {}, ...message }));
  } catch (error) {
    decoder.offset = end;
    return endsUndecodable([], new UndecodableBatch('MALFORMED', ...batchHead.offsetRange(set), { cause: error }));
  }
}
