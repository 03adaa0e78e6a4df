import { expect, it } from 'vitest';
import { type StoredMessage } from './block.js';
import { Gathered } from './gathered.js';
import { type BatchContext, FetchedRecord } from '@sluice/kafkajs';

const answerBytes = 1024 * 1024;
const value = Buffer.alloc(100, 'v');
/** Attributes, two deltas, key `k`, the length of the value as zigzag varint, the value, one header `a: b`. */
const encoded = Buffer.from([0, 0, 0, 2, 0x6b, 0xc8, 0x01, ...value, 2, 2, 0x61, 2, 0x62]);
const limits = { BLOCK_MAX_ROWS: 100_000, BLOCK_MAX_BYTES: 64 * answerBytes };

let offset = 0;
const half = Math.ceil(answerBytes / 2 / encoded.length);

/** Records of one partition at the beginning of an answer of 1 MiB. */
function fetched(count: number): StoredMessage[] {
  const answer = Buffer.allocUnsafeSlow(answerBytes);
  return Array.from({ length: count }, (_, i) => {
    const start = i * encoded.length;
    encoded.copy(answer, start);
    const origin = { context: {} as BatchContext, firstOffset: offset++, firstTimestamp: 0 };
    // kafkajs' types leave out that a header may be null.
    return new FetchedRecord(origin, answer, start, start + encoded.length) as StoredMessage;
  });
}

/** Memory that the messages keep from being freed. */
const pinnedBytes = (messages: readonly StoredMessage[]): number =>
  [...new Set(messages.map((message) => message.value?.buffer))].reduce(
    (sum, buffer) => sum + (buffer?.byteLength ?? 0),
    0,
  );
const ownBytes = (messages: readonly StoredMessage[]): number => messages.length * (encoded.length - 3);

const rest = (gathered: Gathered): StoredMessage[] => gathered.takeBlock(limits);
const age = (gathered: Gathered): void => {
  for (let seconds = 0; seconds < 3; seconds++) gathered.unshareMemory();
};

it('does not keep an answer alive for a few of its messages', () => {
  const gathered = new Gathered();
  for (let i = 0; i < 50; i++) gathered.add(fetched(10));

  const messages = rest(gathered);

  expect(messages).toHaveLength(500);
  expect(pinnedBytes(messages)).toBeLessThanOrEqual(ownBytes(messages));
});

it('keeps answers that hold mostly its messages for a few seconds only, even those of a block under way', () => {
  const gathered = new Gathered();
  for (let i = 0; i < 8; i++) gathered.add(fetched(half));
  const underWay = gathered.takeBlock({ ...limits, BLOCK_MAX_ROWS: 5 * half });
  expect(pinnedBytes(underWay)).toBe(5 * answerBytes);

  age(gathered);

  const messages = [...underWay, ...rest(gathered)];
  expect(messages).toHaveLength(8 * half);
  expect(pinnedBytes(messages)).toBeLessThanOrEqual(ownBytes(messages));
  expect(messages.every((message) => message.value?.equals(value) && message.key?.toString() === 'k')).toBe(true);
  expect(messages.at(-1)?.headers).toEqual({ a: Buffer.from('b') });
});

it('does not copy messages that are already stored', () => {
  const gathered = new Gathered();
  gathered.add(fetched(half));
  gathered.add(fetched(half));
  const stored = gathered.takeBlock({ ...limits, BLOCK_MAX_ROWS: half });
  const next = rest(gathered);
  gathered.forget(stored);

  age(gathered);

  expect(pinnedBytes(stored)).toBe(answerBytes);
  expect(pinnedBytes(next)).toBeLessThanOrEqual(ownBytes(next));
  gathered.forget(next);
  expect(gathered.heldBytes).toBe(0);
});
