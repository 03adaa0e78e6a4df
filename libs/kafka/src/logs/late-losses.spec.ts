import { beforeEach, expect, it } from 'vitest';
import { LateLosses } from './late-losses.js';

const topic = 'tracking.track.v1';
const place = { topic, partition: 3 };
const present = new Map([[topic, 'new']]);

/** Ends that publishers have told, by log. */
let acknowledged: Map<string, bigint>;
let unsettled: { id: string; partition: number; from: bigint; to: bigint }[];
let losses: string[];
let settled: string[];
let late: LateLosses;
beforeEach(() => {
  acknowledged = new Map();
  [unsettled, losses, settled] = [[], [], []];
  late = new LateLosses(
    { of: (id) => acknowledged.get(id), unsettled: () => unsettled },
    (_, { from, to, state }) => losses.push(`${from}-${to} ${state}`),
    ({ logId, settled: to }) => settled.push(`${logId ?? ''} ${to}`),
  );
});

function raise(id: string, end: bigint): void {
  acknowledged.set(id, end);
  late.raised(id, place.partition, end);
}

it('counts up to the acknowledged end of a log that is gone, also when that is told later', () => {
  raise('old', 120n);
  late.count(place, { id: 'old', isGone: true, from: 50n, to: 80n });
  expect(losses).toEqual(['50-120 topic deleted']);
  raise('old', 150n); // by another gateway
  raise('old', 150n);
  raise('old', 140n);
  expect(losses).toEqual(['50-120 topic deleted', '120-150 topic deleted']);
  expect(settled).toEqual(['old 120', 'old 150']);
});

it('counts what is told later of a log that was stored as far as it was known', () => {
  late.count(place, { id: 'old', isGone: true, from: 80n, to: 80n });
  expect(losses).toEqual([]);
  raise('old', 90n);
  expect(losses).toEqual(['80-90 topic deleted']);
});

it('counts each of two topics that were deleted in a row', () => {
  late.count(place, { id: 'first', isGone: true, from: 50n, to: 80n });
  late.count(place, { id: 'second', isGone: true, from: 0n, to: 10n });
  raise('first', 100n);
  raise('second', 15n);
  expect(losses.map((one) => one.split(' ')[0])).toEqual(['50-80', '0-10', '80-100', '10-15']);
});

it('counts no message twice when a log is found to be gone after it was found to be shorter', () => {
  acknowledged.set('old', 90n);
  late.count(place, { id: 'old', isGone: false, from: 50n, to: 80n });
  raise('old', 95n); // of a log that may go on
  late.count(place, { id: 'old', isGone: true, from: 20n, to: 30n });
  expect(losses.map((one) => one.split(' ')[0])).toEqual(['50-80', '80-95']);
  expect(settled).toEqual(['old 95']);
});

it('counts what nobody has counted for a while, if the partition is ours', () => {
  unsettled = [{ id: 'old', partition: 3, from: 100n, to: 600n }];
  late.look(present, () => false, 0);
  late.look(present, () => false, 40_000);
  late.look(present, () => true, 50_000);
  late.look(present, () => true, 79_000);
  expect(losses).toEqual([]);
  late.look(present, () => true, 81_000);
  late.look(present, () => true, 200_000);
  expect(losses).toEqual(['100-600 topic deleted']);
  expect(settled).toEqual(['old 600']);
});

it('leaves it to the process that counts', () => {
  unsettled = [{ id: 'old', partition: 3, from: 100n, to: 600n }];
  late.look(present, () => true, 0);
  unsettled = [];
  late.look(present, () => true, 20_000);
  unsettled = [{ id: 'old', partition: 3, from: 600n, to: 700n }]; // told later
  late.look(present, () => true, 40_000);
  expect(losses).toEqual([]);
});
