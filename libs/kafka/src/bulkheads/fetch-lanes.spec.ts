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
  const partition = all[index];
  if (!partition) throw new RangeError('no such partition');
  return partition;
}
const chosen = (now = 0) => [...lanes.choose(all, now)].map((partition) => all.indexOf(partition)).toSorted();

it('gives lanes to two partitions of a backlog until their blocks are full, and then to the next ones', () => {
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

it('fetches partitions near the end of their log without a lane until they are full', () => {
  for (const near of all.slice(2)) near.remaining = 10n;
  partition(4).isFull = true;
  expect(chosen()).toEqual([0, 1, 2, 3]);
  expect(all.map((partition) => lanes.isFilling(partition))).toEqual([true, true, false, false, false]);
});

it('gives the lane of a stalled partition to the next one, and still fetches the stalled one', () => {
  expect(chosen(0)).toEqual([0, 1]);
  partition(1).fetchedAt = 1_500;
  expect(chosen(2_500)).toEqual([0, 1, 2]);
  partition(2).fetchedAt = 3_900;
  expect(chosen(4_000)).toEqual([0, 1, 2, 3]);
});

it('does not wait for more of a stalled partition until it delivers again', () => {
  const isFilling = () => lanes.isFilling(partition(1));
  chosen(0);
  expect(isFilling()).toBe(true);
  chosen(2_500);
  expect(isFilling()).toBe(false);
  partition(1).fetchedAt = 2_600;
  chosen(2_700);
  expect(isFilling()).toBe(true);
});

it('takes no lane time from other partitions however many are stalled', () => {
  partition(4).fetchedAt = 100_000;
  for (let now = 0; now <= 20_000; now += 500) chosen(now);

  expect(chosen(20_500)).toContain(4);
  expect(chosen(30_000)).toContain(4);
  partition(0).fetchedAt = 30_100;
  partition(1).fetchedAt = 30_100;
  partition(2).fetchedAt = 30_100;
  expect(chosen(30_200)).toEqual([0, 3, 4]);
});
