import { beforeEach, expect, it } from 'vitest';
import { type RowBlock } from '../rows/encode-rows.js';
import { type TryAcceptedRow, Trials } from './trials.js';

const odd = '395';
const memory = '241';
const takesOthers: TryAcceptedRow = () => Promise.resolve(true);
const takesNothing: TryAcceptedRow = () => Promise.resolve(false);
const nobodyKnows: TryAcceptedRow = () => Promise.resolve(undefined);

const block = (first: number, last: number, partition = 0): RowBlock => ({
  id: `${first}-${last}`,
  partition,
  rows: Array.from({ length: last - first + 1 }, (_, i) => ({
    value: Buffer.from('{"a":1}'),
    offset: String(first + i),
    timestamp: '0',
  })),
});

let now: number;
let trials: Trials;
beforeEach(() => {
  now = 0;
  trials = new Trials(() => now);
});

/** Number of refusals until the block is given up; undefined if more than `most`. */
async function rejectionsUntilHopeless(
  block: RowBlock,
  { code = odd, tryAcceptedRow = takesOthers, most = 50, betweenMs = 1_000 } = {},
): Promise<number | undefined> {
  for (let n = 1; n <= most; n++) {
    now += betweenMs;
    trials.countRefusal('events', block);
    if (await trials.judgeBlock('events', block, code, tryAcceptedRow)) return n;
  }
  return undefined;
}

it('cuts a block at its third refusal, and its pieces at their first, while the table takes other rows', async () => {
  expect(await rejectionsUntilHopeless(block(0, 999))).toBe(3);
  expect(await rejectionsUntilHopeless(block(0, 499))).toBe(1);
  expect(await rejectionsUntilHopeless(block(1_000, 1_999))).toBe(3);
});

it('cuts no block and gives up no row while the table takes nothing', async () => {
  expect(await rejectionsUntilHopeless(block(0, 999), { tryAcceptedRow: takesNothing })).toBeUndefined();
  expect(
    await rejectionsUntilHopeless(block(0, 0), { tryAcceptedRow: takesNothing, betweenMs: 60_000 }),
  ).toBeUndefined();
});

it('cuts a block after 30 s while it is unknown whether the table takes other rows, and gives up no row', async () => {
  expect(await rejectionsUntilHopeless(block(0, 999), { tryAcceptedRow: nobodyKnows })).toBe(31);
  expect(
    await rejectionsUntilHopeless(block(0, 0), { tryAcceptedRow: nobodyKnows, betweenMs: 60_000 }),
  ).toBeUndefined();
});

it('gives up a row after at least 10 s and five refusals of it alone', async () => {
  expect(await rejectionsUntilHopeless(block(5, 5), { betweenMs: 100 })).toBeUndefined();
  expect(await rejectionsUntilHopeless(block(7, 7), { betweenMs: 60_000 })).toBe(7);
});

it('counts the time during which a row was refused as part of a larger block', async () => {
  expect(await rejectionsUntilHopeless(block(0, 999))).toBe(3);
  now += 20_000;
  expect(await rejectionsUntilHopeless(block(5, 5), { betweenMs: 1 })).toBe(5);
});

it('gives up further rows of the block for the same error after two refusals', async () => {
  await rejectionsUntilHopeless(block(0, 999));
  expect(await rejectionsUntilHopeless(block(5, 5), { betweenMs: 10_000 })).toBe(5);
  expect(await rejectionsUntilHopeless(block(8, 8))).toBe(2);
  expect(await rejectionsUntilHopeless(block(9, 9), { code: '396' })).toBe(5);
});

it('retries a row for ten minutes when the error is about the server', async () => {
  expect(await rejectionsUntilHopeless(block(5, 5), { code: memory, betweenMs: 10_000, most: 59 })).toBeUndefined();
  expect(await rejectionsUntilHopeless(block(5, 5), { code: memory, betweenMs: 10_000 })).toBeLessThan(4);
});

it('counts a refusal of a row only if the table took another row since', async () => {
  await rejectionsUntilHopeless(block(5, 5), { most: 6, betweenMs: 1_000 });
  await rejectionsUntilHopeless(block(5, 5), { tryAcceptedRow: takesNothing, most: 1, betweenMs: 60_000 });
  expect(await rejectionsUntilHopeless(block(5, 5))).toBe(5);
});

it('accepts an INSERT of another partition as proof that the table takes other rows', async () => {
  for (let n = 1; n <= 6; n++) {
    expect(
      await rejectionsUntilHopeless(block(5, 5), { tryAcceptedRow: nobodyKnows, most: 1, betweenMs: 60_000 }),
    ).toBeUndefined();
    now += 1;
    trials.noteAccepted('events', block(0, 9, 1));
  }
  expect(await rejectionsUntilHopeless(block(5, 5), { tryAcceptedRow: nobodyKnows })).toBe(1);
});
