import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Block, type Rejection, type StoredMessage } from './block.js';
import { type Commit } from './committed.js';
import { PartitionBlocks } from './partition-blocks.js';
import { PartitionProtocol } from './partition-protocol.js';

const maxAgeMs = 1_000;
const message = (offset: number): StoredMessage => ({
  key: null,
  value: Buffer.from('x'),
  headers: {},
  offset: String(offset),
  timestamp: '0',
});

/** A partition whose time and table the test controls. */
class TestPartition {
  isFilling = false;
  readonly commits: Commit[] = [];
  /** The blocks that were begun, as first and last offset. */
  readonly begun: string[] = [];
  private now = 0;
  private timers: { at: number; wake: () => void }[] = [];
  private stored: (() => void)[] = [];
  private next = 0;
  readonly blocks = new PartitionBlocks(
    new PartitionProtocol(
      { topic: 't', partition: 0 },
      { position: 0n, replayBelow: 0n },
      { BLOCK_MAX_ROWS: 4, BLOCK_MAX_BYTES: 1_000 },
    ),
    {
      placement: () => undefined,
      commit: (_, commit) => Promise.resolve(void this.commits.push(commit)),
      store: (block) => this.store(block),
      bury: () => Promise.resolve(),
      maxAgeMs: () => maxAgeMs,
      isFilling: () => this.isFilling,
      turn: () => Promise.resolve(() => undefined),
      retrying: () => undefined,
      progressed: () => undefined,
      recovered: () => undefined,
      passed: () => undefined,
      canCommit: () => true,
      sleep: (ms) => new Promise<void>((wake) => this.timers.push({ at: this.now + ms, wake })),
    },
  );

  async fetched(count: number): Promise<void> {
    const from = this.next;
    this.next += count;
    const messages = Array.from({ length: count }, (_, i) => message(from + i));
    this.blocks.append({ from: BigInt(from), to: BigInt(this.next), messages });
    await setImmediate();
  }

  async pass(ms: number): Promise<void> {
    this.now += ms;
    for (const { at: dueAt, wake } of this.timers) if (dueAt <= this.now) wake();
    this.timers = this.timers.filter(({ at: dueAt }) => dueAt > this.now);
    await setImmediate();
  }

  /** Answers the INSERT that is under way. */
  async answer(): Promise<void> {
    this.stored.shift()?.();
    await setImmediate();
  }

  private store({ messages }: Block): Promise<Rejection[]> {
    this.begun.push(`${messages[0]?.offset}-${messages.at(-1)?.offset}`);
    return new Promise((resolve) => this.stored.push(() => resolve([])));
  }
}

let partition: TestPartition;
beforeEach(() => {
  partition = new TestPartition();
});
afterEach(() => partition.blocks.end());

it('stores a block that is not full when it has reached its age', async () => {
  await partition.fetched(2);
  await partition.pass(maxAgeMs - 1);
  expect(partition.begun).toEqual([]);

  await partition.pass(1);
  expect(partition.begun).toEqual(['0-1']);
});

it('counts the time while a block is stored towards the age of the next one', async () => {
  await partition.fetched(4);
  await partition.fetched(2);
  await partition.pass(maxAgeMs);
  expect(partition.begun).toEqual(['0-3']);

  await partition.answer();
  expect(partition.begun).toEqual(['0-3', '4-5']);
});

it('waits with a block that is still filling, even for 5 s after a long INSERT', async () => {
  partition.isFilling = true;
  await partition.fetched(4);
  await partition.fetched(2);
  await partition.pass(20_000);
  await partition.answer();
  await partition.pass(4_999);
  expect(partition.begun).toEqual(['0-3']);

  await partition.pass(1);
  expect(partition.begun).toEqual(['0-3', '4-5']);
});

it('commits one confirmation when nothing more came within the age of a block', async () => {
  await partition.fetched(4);
  await partition.pass(20_000);
  await partition.answer();
  expect(partition.commits).toEqual([
    { offset: '0', metadata: 'block:3@0' },
    { offset: '4', metadata: null },
  ]);

  for (let i = 0; i < 5; i++) await partition.pass(maxAgeMs);
  expect(partition.commits).toHaveLength(2);
});
