import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashKey, PrefixedKeyHash } from './key-partition.js';

describe('PrefixedKeyHash', () => {
  it.each([
    ['ASCII', fc.string({ unit: 'grapheme-ascii' })],
    ['any characters', fc.string({ unit: 'binary' })],
    [
      'UTF-16 units of any kind',
      fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
    ],
  ])('hashes a key of %s like its bytes, whatever the lengths of its prefix and the rest', (_, text) => {
    fc.assert(
      fc.property(text, text, (prefix, rest) => {
        expect(new PrefixedKeyHash(prefix).hash(rest)).toBe(hashKey(prefix + rest));
      }),
      { numRuns: 1_000 },
    );
  });
});
