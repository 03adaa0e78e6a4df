import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashOfKey, PrefixedKeys } from './partition-of.js';

describe('PrefixedKeys', () => {
  it.each([fc.string({ unit: 'grapheme-ascii' }), fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' })])(
    'hashes a key as its bytes are hashed, with a prefix and a text of any length',
    (text) => {
      fc.assert(
        fc.property(text, text, (prefix, rest) => {
          expect(new PrefixedKeys(prefix).hashOf(rest)).toBe(hashOfKey(prefix + rest));
        }),
        { numRuns: 1_000 },
      );
    },
  );
});
