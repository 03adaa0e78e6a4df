// Takes the place of kafkajs/src/protocol/recordBatch/header/v0/index.js, and of the decoder next to it.
import type { IHeaders } from 'kafkajs';
import { RecordReader } from './record-reader.js';
import { varIntLength, writeVarInt } from './var-int.js';

type HeaderValue = IHeaders[string] | null | (string | Buffer | null)[];

/** Headers of a message to be sent. kafkajs' type leaves out null, which Kafka allows as a value. */
export type HeadersToSend = Readonly<Record<string, HeaderValue>>;

/** One header of a record. A name may occur several times, and its bytes need not be UTF-8. */
export interface RecordHeader {
  readonly name: Buffer;
  readonly value: Buffer | null;
}

export const noHeaders = Buffer.from([0]);

/** Encodes headers as in a record, their number first; undefined values are left out. */
export function encodeHeaders(headers: HeadersToSend): Buffer {
  let count = 0;
  let length = 0;
  // Two passes: collecting pairs in lists took longer than the rest of a message, and headers differ per request.
  for (const name in headers) {
    const value = headers[name];
    for (const headerValue of Array.isArray(value) ? value : [value]) {
      if (headerValue === undefined) continue;
      count += 1;
      length += bytesLength(name) + bytesLength(headerValue);
    }
  }
  const bytes = Buffer.allocUnsafe(varIntLength(count) + length);
  let end = writeVarInt(bytes, 0, count);
  for (const name in headers) {
    const value = headers[name];
    for (const headerValue of Array.isArray(value) ? value : [value]) {
      if (headerValue === undefined) continue;
      end = writeBytes(bytes, end, name);
      end = writeBytes(bytes, end, headerValue);
    }
  }
  return bytes;
}

/** Encodes headers as `encodeHeaders` does, in exactly this order. */
export function writeHeaders(headers: readonly RecordHeader[]): Buffer {
  const length = headers.reduce((sum, { name, value }) => sum + bytesLength(name) + bytesLength(value), 0);
  const bytes = Buffer.allocUnsafe(varIntLength(headers.length) + length);
  let end = writeVarInt(bytes, 0, headers.length);
  for (const { name, value } of headers) end = writeBytes(bytes, writeBytes(bytes, end, name), value);
  return bytes;
}

/** Decodes headers without copying names or values. @throws RangeError when they are damaged. */
export function readHeaders(encoded: Buffer): RecordHeader[] {
  const reader = new RecordReader(encoded);
  const headers: RecordHeader[] = [];
  const take = (): Buffer | null => {
    const length = reader.varInt();
    const from = reader.pass(length);
    return length < 0 ? null : encoded.subarray(from, from + length);
  };
  for (let remaining = reader.varInt(); remaining > 0; remaining--) {
    const name = take();
    if (name === null) throw new RangeError('a header has no name');
    headers.push({ name, value: take() });
  }
  return headers;
}

/** Appends headers to encoded ones. */
export function appendHeaders(encoded: Buffer, headersToAppend: HeadersToSend): Buffer {
  const appendedBytes = encodeHeaders(headersToAppend);
  const [first, second] = [new RecordReader(encoded), new RecordReader(appendedBytes)];
  const count = Math.max(first.varInt(), 0) + second.varInt();
  const head = Buffer.allocUnsafe(varIntLength(count));
  writeVarInt(head, 0, count);
  return Buffer.concat([head, encoded.subarray(first.position), appendedBytes.subarray(second.position)]);
}

/** Encoded size with the length prefix; null is only a prefix, -1. */
export function bytesLength(bytes: string | Buffer | null): number {
  if (bytes === null) return 1;
  const length = typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.length;
  return varIntLength(length) + length;
}

/** Writes a value with its length before it; returns the offset of its end. */
export function writeBytes(target: Buffer, position: number, bytes: string | Buffer | null): number {
  if (bytes === null) return writeVarInt(target, position, -1);
  const isText = typeof bytes === 'string';
  const end = writeVarInt(target, position, isText ? Buffer.byteLength(bytes) : bytes.length);
  return end + (isText ? target.write(bytes, end) : bytes.copy(target, end));
}
