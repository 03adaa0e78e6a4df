// Takes the place of the codecs in kafkajs/src/protocol/message/compression, which has gzip only and no limit.
import { constants, gunzip, zstdDecompress } from 'node:zlib';
import { promisify } from 'node:util';
import type * as kafkajs from 'kafkajs';
import { maxBatchBytes } from './decoding-limits.js';
import { decompressLz4 } from './lz4.js';
import { decompressSnappy } from './snappy.js';
import { TooLargeError } from './too-large-error.js';

/** Decompresses bytes. @throws TooLargeError if the result exceeds `limit`, else the codec's own error. */
export type Decompress = (bytes: Buffer, limit: number) => Promise<Buffer> | Buffer;

interface Limits {
  readonly maxOutputLength: number;
}

const gunzipAsync = promisify<Buffer, Limits, Buffer>(gunzip);
const unzstdAsync = promisify<Buffer, Limits & { params: Record<number, number> }, Buffer>(zstdDecompress);
/** Largest window as in Kafka: 128 MiB, which zstd uses at its highest level; only written pages take memory. */
const zstdParams = { [constants.ZSTD_d_windowLogMax]: 27 };

/** Codecs by Kafka's number. 0 means uncompressed. */
export const codecs: Readonly<Record<number, Decompress>> = {
  0: (bytes) => bytes,
  1: (bytes, limit) => limited(gunzipAsync(bytes, { maxOutputLength: limit })),
  2: decompressSnappy,
  3: decompressLz4,
  4: (bytes, limit) => limited(unzstdAsync(bytes, { maxOutputLength: limit, params: zstdParams })),
};

async function limited(plain: Promise<Buffer>): Promise<Buffer> {
  try {
    return await plain;
  } catch (error) {
    throw (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE' ? new TooLargeError() : error;
  }
}

/** Registers our codecs for kafkajs' own decoder, which reads only the formats before Kafka 0.11. */
export function registerCodecs({ CompressionCodecs }: typeof kafkajs): void {
  for (const number of [1, 2, 3, 4]) {
    const decompress = async (bytes: Buffer) => codecs[number]?.(bytes, maxBatchBytes);
    (CompressionCodecs as Record<number, unknown>)[number] = () => ({ decompress });
  }
}
