import fc from 'fast-check';
import { expect, it } from 'vitest';
import { JsonBody } from '../intake/json-body.js';
import { segmentList } from '../intake/json-outline.js';
import { ItemSizes, maxItemBytes } from './item-sizes.js';

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const text = fc.string({ unit: 'grapheme', maxLength: 40 });
/** An item of about the limit, or far from it; most of it can be in a member that is stored or in one that is not. */
const item = fc
  .record({
    name: fc.constantFrom('properties', 'integrations', '_metadata', 'more'),
    length: fc.constantFrom(0, 10, 5_000, 11_000, 31_000, 32_700, 32_760, 33_000),
    filling: fc.constantFrom('x', 'ä', '"'),
    isNested: fc.boolean(),
    text,
  })
  .map(({ name, length, filling, isNested, text: event }) => {
    const value = filling.repeat(length / (bytesOf(filling) - 2));
    return { type: 'track', event, [name]: isNested ? { a: { b: value } } : value };
  });

it('finds the items that are too large with what the batch adds, in bodies with and without an outline', () =>
  fc.assert(
    fc.property(fc.array(item, { maxLength: 5 }), fc.constantFrom(0, 100, 20_000), (batch, sharedBytes) => {
      const body = new JsonBody(Buffer.from(JSON.stringify({ batch })), { list: segmentList });
      expect(body.value).toEqual({ batch });
      const sizes = new ItemSizes(body, sharedBytes);
      batch.forEach((sent, index) => {
        const isTooLarge = bytesOf(sent) + sharedBytes > maxItemBytes;
        const { properties, event } = sent as Record<string, unknown>;
        const isWhole = !('more' in sent);
        const row = JSON.stringify({ event, properties });
        expect(sizes.isKnownTooLarge(index) || sizes.isTooLarge(index, sent, row, isWhole)).toBe(isTooLarge);
      });
    }),
    { numRuns: 500 },
  ));
