import { expect, it } from 'vitest';
import { SourceParts } from './source-parts.js';

it('a source may hold half of the total alone, a quarter while others hold much', () => {
  const parts = new SourceParts();
  parts.add('a', 50);
  expect(parts.isSpentBy('a', 1, 49, 100)).toBe(false);
  expect(parts.isSpentBy('a', 1, 50, 100)).toBe(true);
  parts.add('b', 24);
  expect(parts.isSpentBy('b', 1, 74, 100)).toBe(false);
  expect(parts.isSpentBy('b', 2, 74, 100)).toBe(true);
  parts.add('a', -30);
  expect(parts.isSpentBy('a', 5, 60, 100)).toBe(false);
});

it('a source that holds nothing may always hold something, and clients without a key are not limited', () => {
  const parts = new SourceParts();
  expect(parts.isSpentBy('a', 80, 60, 100)).toBe(false);
  expect(parts.isSpentBy(undefined, 80, 60, 100)).toBe(false);
});
