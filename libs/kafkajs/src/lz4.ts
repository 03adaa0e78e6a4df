// Adds LZ4 to kafkajs/src/protocol/message/compression.
import { decompressFrame } from 'lz4-napi';
import { TooLargeError } from './too-large-error.js';

const magic = 0x184d2204;
const flag = { blockChecksums: 0x10, contentSize: 0x08, contentChecksum: 0x04, dictionary: 0x01 };
const version = 0x40;
/** The top bit of a block's length: the block is not compressed. */
const isStored = 0x80000000;
/** An LZ4 block grows at most 255 times, and by a few bytes for its last sequence. */
const maxGrowth = 255;
const lastSequence = 64;

/**
 * Decompresses one LZ4 frame. Its blocks are measured first: the library has no limit, and takes a truncated frame for a
 * whole one.
 * @throws TooLargeError when it could become longer than `limit`; RangeError when it is not a whole frame
 */
export function decompressLz4(bytes: Buffer, limit: number): Promise<Buffer> {
  const { end, maxBytes } = measure(bytes);
  if (maxBytes > limit) throw new TooLargeError();
  return decompressFrame(bytes.subarray(0, end));
}

function measure(bytes: Buffer): { end: number; maxBytes: number } {
  if (bytes.readUInt32LE(0) !== magic) throw new RangeError('not an LZ4 frame');
  const flags = bytes.readUInt8(4);
  if ((flags & 0xc0) !== version || flags & flag.dictionary) throw new RangeError('an LZ4 frame of an unknown kind');
  const maxBlockBytes = 2 ** (8 + 2 * ((bytes.readUInt8(5) >> 4) & 0x7));
  const checksum = flags & flag.blockChecksums ? 4 : 0;
  let position = 7 + (flags & flag.contentSize ? 8 : 0);
  let maxBytes = 0;
  for (;;) {
    const word = bytes.readUInt32LE(position);
    position += 4;
    if (word === 0) break;
    const length = word & (isStored - 1);
    maxBytes += word >= isStored ? length : Math.min(maxBlockBytes, length * maxGrowth + lastSequence);
    position += length + checksum;
  }
  const end = position + (flags & flag.contentChecksum ? 4 : 0);
  if (end > bytes.length) throw new RangeError('an LZ4 frame ends before its checksum');
  return { end, maxBytes };
}
