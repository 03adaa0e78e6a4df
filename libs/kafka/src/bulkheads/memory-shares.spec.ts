import { beforeEach, expect, it } from 'vitest';
import { MemoryShares, type Sharer } from './memory-shares.js';

const budget = 96;

const aSharer = (change: Partial<Sharer> = {}): Sharer => ({
  topic: 'events',
  heldBytes: 0,
  looseBytes: 0,
  isSuspect: false,
  isReplaying: false,
  isFull: false,
  isStoring: false,
  wantsMore: true,
  canLetGo: false,
  parkedUntil: undefined,
  parkedBytes: 0,
  heldSince: 0,
  ...change,
});
/** A partition whose block failed and waits for the next attempt. */
const aFailing = (heldBytes: number, change: Partial<Sharer> = {}): Sharer =>
  aSharer({ isSuspect: true, isStoring: true, canLetGo: true, heldBytes, looseBytes: heldBytes, ...change });
/** A partition whose INSERT has no answer. */
const aHanging = (heldBytes: number, looseBytes = 0): Sharer =>
  aSharer({ isSuspect: true, isStoring: true, heldBytes, looseBytes });
const aParked = (parkedUntil: number, change: Partial<Sharer> = {}): Sharer =>
  aSharer({ isSuspect: true, isReplaying: true, parkedUntil, parkedBytes: 30, ...change });

let shares: MemoryShares<Sharer>;
beforeEach(() => {
  shares = new MemoryShares(budget);
});
const divide = (all: Sharer[], now = 0) => {
  const { closed, comingBack, lettingGo, hurried } = shares.divide(all, now);
  const indexes = (some: Iterable<Sharer>) => [...some].map((sharer) => all.indexOf(sharer)).toSorted();
  const hurriedIndex = hurried && all.indexOf(hurried);
  return { closed: indexes(closed), back: indexes(comingBack), gone: indexes(lettingGo), hurried: hurriedIndex };
};

it('fetches all partitions except stuck ones', () =>
  expect(divide([aFailing(40), aSharer({ heldBytes: 50 }), aSharer()])).toMatchObject({ closed: [0] }));

it('lets failing blocks go down to their share when other partitions need the memory', () => {
  const all = [aFailing(30), aFailing(32), aFailing(20), aSharer({ heldBytes: 10 })];
  expect(divide(all).gone).toEqual([0, 1]);
});

it('lets no block go while no other partition needs the memory', () => {
  expect(divide([aFailing(40), aFailing(40)]).gone).toEqual([]);
  expect(divide([aFailing(40), aFailing(40), aSharer({ wantsMore: false })]).gone).toEqual([]);
});

it('keeps a single failing block, however large', () =>
  expect(divide([aFailing(90), aSharer({ heldBytes: 5 })]).gone).toEqual([]));

it('frees messages that gather behind a block without an answer, and leaves other partitions room', () => {
  const all = [aHanging(70, 35), aHanging(60), aSharer({ heldBytes: 20 })];
  expect(divide(all)).toMatchObject({ gone: [0], closed: [0, 1] });
});

it('brings blocks back one at a time, first of topics that have no try under way', () => {
  const waiting = [aParked(5), aParked(9, { topic: 'identifies' })];
  expect(divide(waiting, 4).back).toEqual([]);
  expect(divide(waiting, 6).back).toEqual([0]);
  expect(divide([aFailing(10), ...waiting], 10).back).toEqual([2]);
  const back = aFailing(30, { parkedBytes: 30 });
  expect(divide([back, ...waiting], 10).back).toEqual([]);
});

it('lets a block go that has tried for long while others wait for their try', () => {
  const back = aFailing(30, { parkedBytes: 30, heldSince: 1_000 });
  expect(divide([back, aParked(5)], 15_000).gone).toEqual([]);
  expect(divide([back, aParked(5)], 17_000).gone).toEqual([0]);
  expect(divide([back], 17_000).gone).toEqual([]);
});

it('pauses all partitions when the memory is full, except a replay and topics that hold nearly nothing', () => {
  const full = [
    aSharer({ heldBytes: 60 }),
    aSharer({ heldBytes: 37, isReplaying: true }),
    aSharer({ isReplaying: true }),
    aSharer({ topic: 'identifies', heldBytes: 2 }),
  ];
  expect(divide(full)).toMatchObject({ closed: [0, 2], hurried: 0 });
});
