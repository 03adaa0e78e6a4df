import { beforeEach, expect, it } from 'vitest';
import { FetchLanes } from './fetch-lanes.js';

class Partition {
  remaining = 100_000n;
  isFull = false;
  fetchedAt = 0;
}

let lanes: FetchLanes<Partition>;
let all: Partition[];
beforeEach(() => {
  lanes = new FetchLanes();
  all = Array.from({ length: 5 }, () => new Partition());
});
function partition(index: number): Partition {
  const found = all[index];
  if (!found) throw new RangeError('no such partition');
  return found;
}
const chosen = (now = 0) => [...lanes.choose(all, now)].map((one) => all.indexOf(one)).toSorted();

it('gives lanes to two partitions of a backlog until their blocks are full, and to the next ones then', () => {
  expect(chosen()).toEqual([0, 1]);
  expect(chosen()).toEqual([0, 1]);
  partition(0).isFull = true;
  expect(chosen()).toEqual([1, 2]);
  partition(0).isFull = false;
  partition(1).isFull = true;
  expect(chosen()).toEqual([2, 3]);
  partition(2).isFull = true;
  partition(3).isFull = true;
  expect(chosen()).toEqual([0, 4]);
});

it('lets partitions near the end of their log pass, as long as they are not full', () => {
  for (const near of all.slice(2)) near.remaining = 10n;
  partition(4).isFull = true;
  expect(chosen()).toEqual([0, 1, 2, 3]);
  expect(all.map((one) => lanes.isFilling(one))).toEqual([true, true, false, false, false]);
});

it('takes the lane from a partition that gives nothing', () => {
  expect(chosen(0)).toEqual([0, 1]);
  partition(1).fetchedAt = 1_500;
  expect(chosen(2_500)).toEqual([1, 2]);
  expect(chosen(4_000)).toEqual([2, 3]);
});
