import { expect, it } from 'vitest';
import { BlockPace } from './block-pace.js';

const partitions = Array.from({ length: 12 }, (_, partition) => `catalog.product-variant.v1:${partition}`);

it('stores a lone state after the shortest age, and a feed in so few blocks as the bound of INSERTs says', () => {
  const pace = new BlockPace(1_000, 3);
  pace.stored('catalog.seller.v1:0', 5, 0);
  expect(pace.maxAgeMs(100)).toBe(1_000);
  for (const partition of partitions) pace.stored(partition, 5, 10_000);
  expect(pace.maxAgeMs(10_100)).toBe(4_000);
  expect(pace.maxAgeMs(15_001)).toBe(1_000);
});
