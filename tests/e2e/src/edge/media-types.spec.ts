import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { eventOfBytes, malformed, send, text, tooLarge, unsupportedMediaType } from './edge-request.js';

const bytes = (buffer: Buffer): Uint8Array<ArrayBuffer> => new Uint8Array(buffer);

it.each([
  ['application/json', 200],
  ['Application/JSON;charset=UTF-8', 200],
  ['application/json; charset="utf-8"', 200],
  ['application/json; version=1; charset=utf8', 200],
  ['application/json; charset=latin1', 415],
  ['application/json; version=1; charset=utf-16', 415],
  ['application/vnd.api+json', 415],
  ['application/jsonp', 415],
  ['text/plain', 415],
  ['multipart/form-data; boundary=x', 415],
  [';', 415],
])('answers the content type %s with %d', async (type, status) => {
  const answer = await send('track', { headers: { 'content-type': type } });
  expect(answer.status).toBe(status);
  if (status === 415) expect(answer.body).toEqual(unsupportedMediaType);
});

it('answers a body without a content type with 415', async () => {
  const { status } = await send('track', { body: bytes(Buffer.from(text)), headers: { 'content-type': '' } });
  expect(status).toBe(415);
});

const encodings = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['GZIP', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
] as const;

it.each(encodings)('inflates %s', async (encoding, compress) => {
  const take = (body: string | Buffer) =>
    send('track', { body: bytes(compress(body)), headers: { 'content-encoding': encoding } });
  expect((await take(text)).status).toBe(200);
  expect((await take(eventOfBytes(8_192))).status).toBe(200);

  const over = await take(eventOfBytes(8_193));
  expect([over.status, over.body]).toEqual([413, tooLarge]);
  const empty = await take('');
  expect([empty.status, empty.body]).toEqual([400, malformed]);
});

it.each(encodings)('refuses %s that is truncated or invalid', async (encoding, compress) => {
  const whole = compress(text);
  for (const body of [whole.subarray(0, whole.length - 5), Buffer.from(text), Buffer.alloc(30, 0xff)]) {
    const answer = await send('track', { body: bytes(body), headers: { 'content-encoding': encoding } });
    expect([answer.status, answer.body]).toEqual([400, malformed]);
  }
});

it.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
] as const)('a %s bomb is quickly refused as too large', async (encoding, compress) => {
  const bomb = compress(Buffer.alloc(20_000_000));
  expect(bomb.length).toBeLessThan(819_200);
  const started = performance.now();
  const answer = await send('trackBatch', { body: bytes(bomb), headers: { 'content-encoding': encoding } });
  expect([answer.status, answer.body]).toEqual([413, tooLarge]);
  expect(performance.now() - started).toBeLessThan(3_000);
});

it.each(['compress', 'gzip, gzip', 'aes128gcm', '*', '__proto__'])(
  'answers the encoding %s with 415',
  async (encoding) => {
    const answer = await send('track', { headers: { 'content-encoding': encoding } });
    expect([answer.status, answer.body]).toEqual([415, unsupportedMediaType]);
  },
);

it('treats the encoding identity as no encoding', async () => {
  expect((await send('track', { headers: { 'content-encoding': 'Identity' } })).status).toBe(200);
});
