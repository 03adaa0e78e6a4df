import { constants, zstdCompressSync, zstdDecompress } from 'node:zlib';
import { promisify } from 'node:util';
import type * as kafkajs from 'kafkajs';
import { type Compress } from './record-batch.js';

/** Kafka's number of zstd. */
const zstdType = 4;
const params = { [constants.ZSTD_c_compressionLevel]: 1 };
const decompress = promisify(zstdDecompress) as (bytes: Buffer) => Promise<Buffer>;

/** Level 1: rows become an eighth (docs/decisions/0013), and higher levels take longer for little more. */
export const zstd: Compress = {
  attributes: zstdType,
  compress: (records) => zstdCompressSync(records, { params }),
};

/** Whoever loads kafkajs from here can read what was compressed. */
export function registerZstd({ CompressionCodecs }: typeof kafkajs): void {
  (CompressionCodecs as Record<number, unknown>)[zstdType] = () => ({ decompress });
}
