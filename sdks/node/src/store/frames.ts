import * as zlib from 'node:zlib';

/** Kinds of the frames of a batch file, as sdks/contract/store.md describes them. */
export type FrameKind = 'H' | 'M' | 'S' | 'T' | 'D';

export interface Frame {
  readonly kind: string;
  readonly text: string;
}

export interface Frames {
  readonly frames: readonly Frame[];
  /** Position of the first byte that is not part of a valid frame. */
  readonly end: number;
}

export const magic = 'SLUICEB';
export const formatVersion = 1;
export const headBytes = 8;
const longest = 1_048_576;

export const fileHead = Buffer.concat([Buffer.from(magic), Buffer.from([formatVersion])]);

export function encodeFrame(kind: FrameKind, text: string): Buffer {
  const length = 1 + Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(headBytes + length);
  bytes.writeUInt32LE(length, 0);
  bytes.write(kind, headBytes, 'latin1');
  bytes.write(text, headBytes + 1, 'utf8');
  bytes.writeUInt32LE(checksum(bytes, 0, length), 4);
  return bytes;
}

/** The valid frames from a position on, up to the first invalid one. */
export function readFrames(bytes: Buffer, start: number): Frames {
  const frames: Frame[] = [];
  let offset = start;
  for (let length = payloadLength(bytes, offset); length > 0; length = payloadLength(bytes, offset)) {
    const payload = offset + headBytes;
    frames.push({
      kind: bytes.toString('latin1', payload, payload + 1),
      text: bytes.toString('utf8', payload + 1, payload + length),
    });
    offset = payload + length;
  }
  return { frames, end: offset };
}

/** Length of the payload of the frame at a position; 0 if no valid frame begins there. */
export function payloadLength(bytes: Buffer, offset: number): number {
  if (offset + headBytes > bytes.length) return 0;
  const length = bytes.readUInt32LE(offset);
  if (length === 0 || length > longest || offset + headBytes + length > bytes.length) return 0;
  return checksum(bytes, offset, length) === bytes.readUInt32LE(offset + 4) ? length : 0;
}

/** CRC-32 of the four bytes of the length and of the payload. */
function checksum(bytes: Buffer, offset: number, length: number): number {
  const payload = offset + headBytes;
  return crc32(bytes.subarray(payload, payload + length), crc32(bytes.subarray(offset, offset + 4), 0));
}

const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** For runtimes whose `zlib` has no CRC-32, like Node before 20.15. */
export function slowCrc32(bytes: Uint8Array, start: number): number {
  let value = ~start;
  for (const byte of bytes) value = (table[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return ~value >>> 0;
}

const crc32 = (zlib as Partial<typeof zlib>).crc32 ?? slowCrc32;
