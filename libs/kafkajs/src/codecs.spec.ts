import { createRequire } from 'node:module';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { compressFrameSync } from 'lz4-napi';
import { compressSync } from 'snappy';
import { describe, expect, it } from 'vitest';
import { codecs } from './codecs.js';
import { TooLargeError } from './too-large-error.js';

interface Codec {
  compress(encoder: { readonly buffer: Buffer }): Promise<Buffer>;
  decompress(bytes: Buffer): Promise<Buffer>;
}

// kafkajs' own codec, the only one that it has.
const gzip = createRequire(import.meta.url)('kafkajs/src/protocol/message/compression/gzip.js') as Codec;

const compressors: [name: string, codec: number, compress: (bytes: Buffer) => Buffer][] = [
  ['none', 0, (bytes) => bytes],
  ['gzip', 1, gzipSync],
  ['snappy', 2, (bytes) => compressSync(bytes)],
  ['lz4', 3, (bytes) => compressFrameSync(bytes)],
  ['zstd', 4, (bytes) => zstdCompressSync(bytes)],
];
/** Random bytes, repeated 1 to 400 times: many repetitions compress well. */
const bytes = fc
  .tuple(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.integer({ min: 1, max: 400 }))
  .map(([unit, times]) => Buffer.concat(Array.from({ length: times }, () => unit)));

const decompress = async (codec: number, compressed: Buffer, limit: number): Promise<Buffer | undefined> =>
  codecs[codec]?.(compressed, limit);

describe.each(compressors)('the codec %s', (_, codec, compress) =>
  it('restores compressed bytes that reach exactly the limit', () =>
    fc.assert(
      fc.asyncProperty(bytes, async (plain) => {
        // For LZ4 the limit applies to an upper bound: a block grows at most 255 times and by 64 bytes.
        const room = codec === 3 ? 256 * (plain.length + 1_024) : plain.length;
        expect((await decompress(codec, compress(plain), room))?.equals(plain)).toBe(true);
      }),
    )),
);

describe.each(compressors.slice(1))('the codec %s', (_, codec, compress) =>
  it('stops before it exceeds its limit', () =>
    fc.assert(
      fc.asyncProperty(bytes, fc.nat(), async (plain, below) => {
        fc.pre(plain.length > 1);
        const limit = 1 + (below % (plain.length - 1));
        await expect(async () => decompress(codec, compress(plain), limit)).rejects.toThrow(TooLargeError);
      }),
    )),
);

it('reads gzip of kafkajs as kafkajs does', () =>
  fc.assert(
    fc.asyncProperty(bytes, async (plain) => {
      const compressed = await gzip.compress({ buffer: plain });
      const [ours, theirs] = await Promise.all([decompress(1, compressed, plain.length), gzip.decompress(compressed)]);
      expect(ours?.equals(theirs)).toBe(true);
    }),
  ));
