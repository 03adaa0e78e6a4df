import { expect, it } from 'vitest';
import { BehindSince } from './behind-since.js';

const aPartition = { topic: 'tracking.track.v1', partition: 3, position: 10n };
const another = { ...aPartition, partition: 4 };

it('remembers the first look that found a partition waiting while its position stays the same', () => {
  const behind = new BehindSince();

  expect(behind.look([aPartition], 1_000)).toEqual([1_000]);
  expect(behind.look([another, aPartition], 2_000)).toEqual([2_000, 1_000]);
});

it('starts again when the partition has moved on or has not waited in between', () => {
  const behind = new BehindSince();
  behind.look([aPartition, another], 1_000);

  expect(behind.look([{ ...aPartition, position: 11n }], 2_000)).toEqual([2_000]);
  expect(behind.look([another], 3_000)).toEqual([3_000]);
});
