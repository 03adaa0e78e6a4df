// Takes the place of kafkajs/src/protocol/recordBatch/v0/index.js.
import { crc32c } from '@node-rs/crc32';
import type { Message } from 'kafkajs';
import { encodeHeaders, type HeadersToSend, noHeaders } from './record-headers.js';
import { varIntLength, writeVarInt } from './var-int.js';

/** Bytes of a record batch (Kafka's message format 2) before its records. */
const headerLength = 61;
const crcAt = 17;
const crcFrom = 21;

/** A message, perhaps with parts that are prepared already. */
export interface SizedMessage extends Message {
  /** Bytes of the value. */
  readonly valueBytes?: number;
  /** Encoded headers, sent in the place of `headers`. */
  readonly encodedHeaders?: Buffer;
}

interface SizedRecord {
  key: Buffer | null;
  value: Buffer | string | null;
  valueLength: number;
  headers: Buffer;
  /** Bytes of the record without its own length. */
  length: number;
}

/** The compression of a batch; `attributes` is Kafka's number of the codec. */
export interface Compress {
  readonly attributes: number;
  readonly compress: (records: Buffer) => Buffer;
}

/** Size below which compressing costs more than it saves: a call takes some 30 µs whatever its size (measured). */
const compressFromBytes = 8 * 1024;

/** A record batch, ready to be written into a larger request. */
export interface RecordBatch {
  length: number;
  write(bytes: Buffer, position: number): void;
}

/**
 * Encodes a batch by sizing it first and writing it once. kafkajs takes a zero-filled kilobyte per record, several copies
 * of the batch and a checksum in JavaScript (19 ns a byte, measured).
 */
export function recordBatch(messages: readonly SizedMessage[], timestampMs: number, compress?: Compress): RecordBatch {
  const records = messages.map(sizeRecord);
  const plainLength = records.reduce((sum, record) => sum + varIntLength(record.length) + record.length, 0);
  const writeRecords = (bytes: Buffer, position: number): void => {
    let end = position;
    for (const [index, record] of records.entries()) end = writeRecord(bytes, end, index, record);
  };
  const header = { records: records.length, timestampMs };
  if (!compress || plainLength < compressFromBytes) {
    return { length: headerLength + plainLength, write: batchWriter(writeRecords, { ...header, attributes: 0 }) };
  }
  const plain = Buffer.allocUnsafe(plainLength);
  writeRecords(plain, 0);
  const compressed = compress.compress(plain);
  const copy = (bytes: Buffer, position: number): void => void compressed.copy(bytes, position);
  const { attributes } = compress;
  return { length: headerLength + compressed.length, write: batchWriter(copy, { ...header, attributes }) };
}

interface Header {
  records: number;
  timestampMs: number;
  attributes: number;
}

const batchWriter = (writeRecords: (bytes: Buffer, position: number) => void, header: Header): RecordBatch['write'] =>
  function (this: RecordBatch, bytes, position) {
    writeRecords(bytes, position + headerLength);
    writeHeader(bytes, position, this.length, header);
  };

function sizeRecord(message: SizedMessage, index: number): SizedRecord {
  const { key = null, value, valueBytes } = message;
  const keyBytes = typeof key === 'string' ? Buffer.from(key) : key;
  const valueLength = value === null ? -1 : (valueBytes ?? Buffer.byteLength(value));
  const headerBytes = encodeSharedHeaders(message);
  const keyLength = keyBytes === null ? -1 : keyBytes.length;
  const length =
    2 + // attributes and the difference of the timestamp, both 0
    varIntLength(index) +
    varIntLength(keyLength) +
    Math.max(keyLength, 0) +
    varIntLength(valueLength) +
    Math.max(valueLength, 0) +
    headerBytes.length;
  return { key: keyBytes, value, valueLength, headers: headerBytes, length };
}

function writeRecord(bytes: Buffer, position: number, index: number, record: SizedRecord): number {
  let end = writeVarInt(bytes, position, record.length);
  bytes[end++] = 0;
  bytes[end++] = 0;
  end = writeVarInt(bytes, end, index);
  end = writeVarInt(bytes, end, record.key === null ? -1 : record.key.length);
  if (record.key !== null) end += record.key.copy(bytes, end);
  end = writeVarInt(bytes, end, record.valueLength);
  if (typeof record.value === 'string') end += bytes.write(record.value, end);
  else if (record.value !== null) end += record.value.copy(bytes, end);
  return end + record.headers.copy(bytes, end);
}

function writeHeader(
  bytes: Buffer,
  position: number,
  length: number,
  { records, timestampMs, attributes }: Header,
): void {
  const timestamp = BigInt(timestampMs);
  bytes.writeBigInt64BE(0n, position); // base offset: the broker sets it
  bytes.writeInt32BE(length - 12, position + 8); // what follows this field
  bytes.writeInt32BE(-1, position + 12); // leader epoch: unknown
  bytes.writeInt8(2, position + 16); // magic
  bytes.writeInt16BE(attributes, position + 21); // compression; the time is the creator's
  bytes.writeInt32BE(records - 1, position + 23);
  bytes.writeBigInt64BE(timestamp, position + 27);
  bytes.writeBigInt64BE(timestamp, position + 35);
  bytes.writeBigInt64BE(-1n, position + 43); // producer id, epoch and sequence: none
  bytes.writeInt16BE(-1, position + 51);
  bytes.writeInt32BE(-1, position + 53);
  bytes.writeInt32BE(records, position + 57);
  bytes.writeUInt32BE(crc32c(bytes.subarray(position + crcFrom, position + length)), position + crcAt);
}

let latest: { headers: HeadersToSend; bytes: Buffer } | undefined;

/** Encodes headers, unless they are those of the message before: messages of one request share one headers object. */
function encodeSharedHeaders({ headers, encodedHeaders }: SizedMessage): Buffer {
  if (encodedHeaders) return encodedHeaders;
  if (headers === undefined) return noHeaders;
  if (latest?.headers !== headers) latest = { headers, bytes: encodeHeaders(headers) };
  return latest.bytes;
}
