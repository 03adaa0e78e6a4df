import { expect, it } from 'vitest';
import { explainGrowth, movedShare } from './growth.js';

it.each([
  [12, 24],
  [12, 18],
  [12, 13],
  [1, 2],
  [5, 50],
])('counts the keys that move from %i to %i partitions', (from, to) => {
  const hashes = Array.from({ length: from * to }, (_, hash) => hash);
  const moved = hashes.filter((hash) => hash % from !== hash % to).length / hashes.length;

  expect(movedShare({ from, to })).toBeCloseTo(moved, 10);
});

it('says what cannot be undone, what moves and what waits', () => {
  const growth = { topic: 'tracking.track.v1', from: 12, to: 24, group: 'tracking', waiting: 7 };
  const text = explainGrowth(growth).join(' ');

  for (const words of ['cannot remove partitions', 'About 50 %', 'has 7 messages to store', 'partitions=24'])
    expect(text).toContain(words);
});
