// Adds Snappy to kafkajs/src/protocol/message/compression.
import { uncompressSync } from 'snappy';
import { TooLargeError } from './too-large-error.js';

/** The magic bytes of a snappy-java stream; two versions of four bytes each follow. */
const streamMagic = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const streamHead = streamMagic.length + 8;

/**
 * Decompresses snappy as Kafka's producers write it: Java's as a stream of blocks with their lengths, some others as one
 * bare block. Every block begins with its decompressed length, which is checked before anything is decompressed.
 * @throws TooLargeError when it becomes longer than `limit`
 */
export function decompressSnappy(bytes: Buffer, limit: number): Buffer {
  const blocks = startsStream(bytes, 0) ? splitBlocks(bytes) : [bytes];
  if (blocks.reduce((sum, block) => sum + readPlainLength(block), 0) > limit) throw new TooLargeError();
  return Buffer.concat(blocks.map((block) => uncompressSync(block) as Buffer));
}

const startsStream = (bytes: Buffer, position: number): boolean =>
  bytes.subarray(position, position + streamMagic.length).equals(streamMagic);

function splitBlocks(bytes: Buffer): Buffer[] {
  const blocks: Buffer[] = [];
  for (let position = 0; position < bytes.length;) {
    // A stream that was appended to another brings its head with it.
    if (startsStream(bytes, position)) {
      position += streamHead;
      continue;
    }
    const from = position + 4;
    position = from + bytes.readUInt32BE(position);
    if (position > bytes.length) throw new RangeError('a snappy block ends beyond its stream');
    blocks.push(bytes.subarray(from, position));
  }
  return blocks;
}

/** The length of a decompressed block, with which the block begins, seven bits a byte. */
function readPlainLength(block: Buffer): number {
  let length = 0;
  for (let i = 0; i < 5; i++) {
    const byte = block.readUInt8(i);
    length += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return length;
  }
  throw new RangeError('a snappy block does not begin with its length');
}
