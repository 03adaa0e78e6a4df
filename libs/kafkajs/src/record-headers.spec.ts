import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeMessagesWith } from './fetched-records.js';
import './patched.js'; // kafkajs with all replacements
import { recordBatch, type SizedMessage } from './record-batch.js';
import { appendHeaders, encodeHeaders, readHeaders, writeHeaders } from './record-headers.js';

const decode = decodeMessagesWith(() => Promise.reject(new Error('an old format')));

/** Decodes messages as our consumer does, encoded as our producer does. */
function readBack(messages: readonly SizedMessage[]) {
  const batch = recordBatch(messages, 1_700_000_000_123);
  const bytes = Buffer.alloc(batch.length + 4);
  bytes.writeInt32BE(batch.length, 0);
  batch.write(bytes, 4);
  return decode({ buffer: bytes, offset: 0 });
}

const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const value = fc.oneof(text, bytes, fc.constant(null));
const name = fc.oneof(text, fc.constantFrom('__proto__', 'constructor', '7', ''));
const toBytes = (headerValue: string | Buffer | null): Buffer | null =>
  headerValue === null ? null : Buffer.from(headerValue as string);

it('writes keys, values and headers that are read back unchanged, even null and empty ones', async () => {
  const message = fc.record({
    key: value,
    value,
    headers: fc.dictionary(name, fc.oneof(value, fc.array(value, { minLength: 2, maxLength: 4 })), {
      noNullPrototype: true,
    }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 20 }), async (messages) => {
      const records = await readBack(messages as SizedMessage[]);
      const sent = messages.map(({ key, value, headers }) => ({
        key: toBytes(key),
        value: toBytes(value),
        headers: Object.entries(headers).map(([name, headerValue]) => [
          name,
          Array.isArray(headerValue) ? headerValue.map(toBytes) : toBytes(headerValue),
        ]),
      }));
      const read = records.map(({ key, value, headers }) => ({ key, value, headers: Object.entries(headers) }));
      expect(read).toEqual(sent);
    }),
    { numRuns: 300 },
  );
});

const header = fc.record({ name: bytes, value: fc.option(bytes, { nil: null }) });

it('keeps the headers of a record byte for byte: order, repeated names, names that are not UTF-8', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(header, { maxLength: 30 }), async (headers) => {
      const encodedHeaders = writeHeaders(headers);
      expect(readHeaders(encodedHeaders)).toEqual(headers);
      const [record] = await readBack([{ key: null, value: 'v', headers: { not: 'sent' }, encodedHeaders }]);
      expect(record && 'encodedHeaders' in record && record.encodedHeaders).toEqual(encodedHeaders);

      const more = appendHeaders(encodedHeaders, { a: null, b: ['1', null], c: undefined });
      expect(readHeaders(more)).toEqual([...headers, ...readHeaders(encodeHeaders({ a: null, b: ['1', null] }))]);
    }),
    { numRuns: 300 },
  );
});

it('writes thousands of headers, with one name or all with different names', async () => {
  const names = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, i) => [`name-${i}`, i % 3 === 0 ? null : `${i}`]),
  );
  const headers = { ...names, same: Array.from({ length: 5_000 }, (_, i) => (i % 2 === 0 ? null : `${i}`)) };
  const [record] = await readBack([{ value: null, encodedHeaders: encodeHeaders(headers) }]);
  expect(record?.headers['name-3']).toBeNull();
  expect(String(record?.headers['name-19999'])).toBe('19999');
  expect(record?.headers['same']).toHaveLength(5_000);
});
