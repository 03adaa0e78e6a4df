import { crc32c } from '@node-rs/crc32';
import type { IHeaders, Message } from 'kafkajs';

/** Bytes of a record batch (Kafka's message format 2) before its records. */
const headerLength = 61;
const crcAt = 17;
const crcFrom = 21;

/** A message whose value has been counted already. */
export interface SizedMessage extends Message {
  readonly valueBytes?: number;
}

interface SizedRecord {
  key: Buffer | null;
  value: Buffer | string | null;
  valueLength: number;
  headers: Buffer;
  /** Bytes of the record without its own length. */
  length: number;
}

/** How the records of a batch are compressed; `attributes` is Kafka's number of it. */
export interface Compress {
  readonly attributes: number;
  readonly compress: (records: Buffer) => Buffer;
}

/** What is smaller costs more to compress than it saves: a call takes some 30 µs whatever its size (measured). */
const compressFromBytes = 8 * 1024;

/** A record batch, ready to be written into a larger request. */
export interface RecordBatch {
  length: number;
  write(bytes: Buffer, at: number): void;
}

/**
 * Sizes first, then writes once: what kafkajs 2.2.4 does with a zero-filled kilobyte per record, several copies of the
 * batch and a checksum in JavaScript (19 ns a byte, measured).
 */
export function recordBatch(messages: readonly SizedMessage[], timestampMs: number, compress?: Compress): RecordBatch {
  const records = messages.map(sized);
  const plainLength = records.reduce((sum, record) => sum + varIntLength(record.length) + record.length, 0);
  const writeRecords = (bytes: Buffer, at: number): void => {
    let end = at;
    for (const [index, record] of records.entries()) end = writeRecord(bytes, end, index, record);
  };
  const header = { records: records.length, timestampMs };
  if (!compress || plainLength < compressFromBytes) {
    return { length: headerLength + plainLength, write: batchWriter(writeRecords, { ...header, attributes: 0 }) };
  }
  const plain = Buffer.allocUnsafe(plainLength);
  writeRecords(plain, 0);
  const compressed = compress.compress(plain);
  const copy = (bytes: Buffer, at: number): void => void compressed.copy(bytes, at);
  const { attributes } = compress;
  return { length: headerLength + compressed.length, write: batchWriter(copy, { ...header, attributes }) };
}

interface Header {
  records: number;
  timestampMs: number;
  attributes: number;
}

const batchWriter = (writeRecords: (bytes: Buffer, at: number) => void, header: Header): RecordBatch['write'] =>
  function (this: RecordBatch, bytes, at) {
    writeRecords(bytes, at + headerLength);
    writeHeader(bytes, at, this.length, header);
  };

function sized({ key = null, value, valueBytes, headers }: SizedMessage, index: number): SizedRecord {
  const keyBytes = typeof key === 'string' ? Buffer.from(key) : key;
  const valueLength = value === null ? -1 : (valueBytes ?? Buffer.byteLength(value));
  const headerBytes = headersOf(headers);
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

function writeRecord(bytes: Buffer, at: number, index: number, record: SizedRecord): number {
  let end = writeVarInt(bytes, at, record.length);
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

function writeHeader(bytes: Buffer, at: number, length: number, { records, timestampMs, attributes }: Header): void {
  const timestamp = BigInt(timestampMs);
  bytes.writeBigInt64BE(0n, at); // base offset: the broker's to set
  bytes.writeInt32BE(length - 12, at + 8); // what follows this field
  bytes.writeInt32BE(-1, at + 12); // leader epoch: unknown
  bytes.writeInt8(2, at + 16); // magic
  bytes.writeInt16BE(attributes, at + 21); // compression; the time is the creator's
  bytes.writeInt32BE(records - 1, at + 23);
  bytes.writeBigInt64BE(timestamp, at + 27);
  bytes.writeBigInt64BE(timestamp, at + 35);
  bytes.writeBigInt64BE(-1n, at + 43); // producer id, epoch and sequence: none
  bytes.writeInt16BE(-1, at + 51);
  bytes.writeInt32BE(-1, at + 53);
  bytes.writeInt32BE(records, at + 57);
  bytes.writeUInt32BE(crc32c(bytes.subarray(at + crcFrom, at + length)), at + crcAt);
}

const noHeaders = Buffer.from([0]);
let latest: { headers: IHeaders; bytes: Buffer } | undefined;

/** Messages of one request share one headers object and lie side by side: a look at the latest is all it takes. */
function headersOf(headers: Message['headers']): Buffer {
  if (headers === undefined) return noHeaders;
  if (latest?.headers !== headers) latest = { headers, bytes: encodeHeaders(headers) };
  return latest.bytes;
}

/** Every request has headers of its own: by lists of lists this took longer than all the rest of a message. */
function encodeHeaders(headers: IHeaders): Buffer {
  let count = 0;
  let length = 0;
  for (const name in headers) {
    const value = headers[name];
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === undefined) continue;
      count += 1;
      length += textLength(name) + textLength(one);
    }
  }
  const bytes = Buffer.allocUnsafe(varIntLength(count) + length);
  let end = writeVarInt(bytes, 0, count);
  for (const name in headers) {
    const value = headers[name];
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === undefined) continue;
      end = writeText(bytes, end, name);
      end = writeText(bytes, end, one);
    }
  }
  return bytes;
}

/** With its length before it. */
function textLength(text: string | Buffer): number {
  const length = typeof text === 'string' ? Buffer.byteLength(text) : text.length;
  return varIntLength(length) + length;
}

function writeText(bytes: Buffer, at: number, text: string | Buffer): number {
  const isText = typeof text === 'string';
  const end = writeVarInt(bytes, at, isText ? Buffer.byteLength(text) : text.length);
  return end + (isText ? bytes.write(text, end) : text.copy(bytes, end));
}

/** Zigzag: small numbers of either sign are short. */
const zigzag = (value: number): number => ((value << 1) ^ (value >> 31)) >>> 0;

function varIntLength(value: number): number {
  const bits = 32 - Math.clz32(zigzag(value));
  return Math.max(1, Math.ceil(bits / 7));
}

function writeVarInt(bytes: Buffer, at: number, value: number): number {
  let rest = zigzag(value);
  let end = at;
  while (rest > 0x7f) {
    bytes[end++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[end++] = rest;
  return end;
}
