import { crc32 } from 'node:zlib';
import { type Holder, findHolder } from './holder.js';
import { type MessageToSpool } from './spooled-message.js';

// A frame on the disk, little-endian: offset, bytes, content. One of the two checksums covers each part.
//   0  8  marker of the queue, to find the next frame behind damage
//   8  4  bytes of the payload
//  12  8  place in the queue (float64)
//  20  8  time of acceptance, milliseconds since 1970 (float64)
//  28  4  crc32 of the payload
//  32  4  crc32 of the preceding bytes
//  36     payload: flags (2), bytes of topic (2), key (4) and headers (4); topic, key, headers, value
//         flags: 1 for text, and 2 × (partition + 1) for a message that has a partition
// The seed of both checksums depends on the queue's secret salt and on the segment; the header's depends on the offset
// too. So bytes that a client sent, or frames that the disk shows at another place, are never accepted as frames.

export const frameHeaderBytes = 36;
export const markerBytes = 8;
const payloadHeaderBytes = 12;
const isText = 1;
/** Upper bound of a partition that a frame can hold; a message for a higher one goes to the partition of its key. */
const maxPartition = 0x7ffe;

/** Secret that identifies the frames of one segment. */
export interface SegmentSecret {
  readonly marker: Buffer;
  readonly seed: number;
}

export interface FrameHeader {
  readonly payloadBytes: number;
  readonly seq: number;
  readonly acceptedAt: number;
  readonly payloadCrc: number;
}

/** @param salt 32 hex digits of one queue. @param first place of the segment's first message */
export function segmentSecret(salt: string, first: number): SegmentSecret {
  return { marker: Buffer.from(salt.slice(0, 2 * markerBytes), 'hex'), seed: crc32(`${salt}:${first}`) };
}

/** Encodes messages as frames, to be written at `offset` of their segment. */
export function encodeFrames(
  messages: readonly MessageToSpool[],
  {
    seq: firstSeq,
    acceptedAt,
    offset,
    secret,
  }: { seq: number; acceptedAt: number; offset: number; secret: SegmentSecret },
): Buffer {
  const sizes = messages.map(measureSizes);
  const bytes = Buffer.allocUnsafeSlow(sizes.reduce((sum, { payload }) => sum + frameHeaderBytes + payload, 0));
  let start = 0;
  for (const [index, message] of messages.entries()) {
    const size = sizes[index] ?? measureSizes(message);
    const payload = bytes.subarray(start + frameHeaderBytes, start + frameHeaderBytes + size.payload);
    writePayload(payload, message, size);
    secret.marker.copy(bytes, start);
    bytes.writeUInt32LE(size.payload, start + 8);
    bytes.writeDoubleLE(firstSeq + index, start + 12);
    bytes.writeDoubleLE(acceptedAt, start + 20);
    bytes.writeUInt32LE(crc32(payload, secret.seed), start + 28);
    bytes.writeUInt32LE(headerCrc(bytes.subarray(start, start + 32), offset + start, secret), start + 32);
    start += frameHeaderBytes + size.payload;
  }
  return bytes;
}

/** Returns undefined when there is no intact header at this offset. */
export function readHeader(bytes: Buffer, offset: number, secret: SegmentSecret): FrameHeader | undefined {
  if (bytes.length < frameHeaderBytes || secret.marker.compare(bytes, 0, markerBytes) !== 0) return undefined;
  if (bytes.readUInt32LE(32) !== headerCrc(bytes.subarray(0, 32), offset, secret)) return undefined;
  return {
    payloadBytes: bytes.readUInt32LE(8),
    seq: bytes.readDoubleLE(12),
    acceptedAt: bytes.readDoubleLE(20),
    payloadCrc: bytes.readUInt32LE(28),
  };
}

export const isIntact = (payload: Buffer, { payloadCrc }: FrameHeader, { seed }: SegmentSecret): boolean =>
  crc32(payload, seed) === payloadCrc;

/** @param payload must be intact */
export function decodePayload(payload: Buffer): MessageToSpool {
  const topicEnd = payloadHeaderBytes + payload.readUInt16LE(2);
  const keyEnd = topicEnd + payload.readUInt32LE(4);
  const headersEnd = keyEnd + payload.readUInt32LE(8);
  const flags = payload.readUInt16LE(0);
  return {
    ...(flags > isText && { partition: (flags >> 1) - 1 }),
    topic: payload.toString('utf8', payloadHeaderBytes, topicEnd),
    key: payload.toString('utf8', topicEnd, keyEnd),
    headers: payload.toString('utf8', keyEnd, headersEnd),
    // Copied: passing a view to another thread would copy the whole buffer behind it.
    value: flags & isText ? payload.toString('utf8', headersEnd) : new Uint8Array(payload.subarray(headersEnd)),
  };
}

/** The holder of a message. @param payload must be intact */
export function payloadHolder(payload: Buffer): Holder {
  const topicEnd = payloadHeaderBytes + payload.readUInt16LE(2);
  const headersEnd = topicEnd + payload.readUInt32LE(4) + payload.readUInt32LE(8);
  return findHolder(payload.toString('utf8', payloadHeaderBytes, topicEnd), payload.subarray(headersEnd));
}

/** Space of a message on the disk, in bytes. */
export const frameBytes = (message: MessageToSpool): number => frameHeaderBytes + measureSizes(message).payload;

const headerCrc = (header: Buffer, offset: number, { seed }: SegmentSecret): number =>
  crc32(header, (seed ^ offset) >>> 0);

interface Sizes {
  readonly topic: number;
  readonly key: number;
  readonly headers: number;
  readonly payload: number;
}

function measureSizes(message: MessageToSpool): Sizes {
  const topic = Buffer.byteLength(message.topic);
  const key = Buffer.byteLength(message.key);
  const headers = Buffer.byteLength(message.headers);
  return {
    topic,
    key,
    headers,
    payload: payloadHeaderBytes + topic + key + headers + Buffer.byteLength(message.value),
  };
}

const messageFlags = ({ value, partition = -1 }: MessageToSpool): number =>
  (typeof value === 'string' ? isText : 0) | (partition > maxPartition ? 0 : (partition + 1) << 1);

function writePayload(payload: Buffer, message: MessageToSpool, size: Sizes): void {
  const { topic, key, headers, value } = message;
  payload.writeUInt16LE(messageFlags(message), 0);
  payload.writeUInt16LE(size.topic, 2);
  payload.writeUInt32LE(size.key, 4);
  payload.writeUInt32LE(size.headers, 8);
  let end = payloadHeaderBytes;
  end += payload.write(topic, end);
  end += payload.write(key, end);
  end += payload.write(headers, end);
  if (typeof value === 'string') payload.write(value, end);
  else payload.set(value, end);
}
