import { header } from '@sluice/contracts';
import { expect, it } from 'vitest';
import { type OutgoingMessage } from './outgoing-message.js';
import { SendBatch } from './send-batch.js';

it('marks every message as a repeat, without changing the headers of the request', () => {
  const batch = new SendBatch(new Map([['a', 3]]), performance.now() + 1_000);
  const headers = { one: '1' };
  for (const key of ['k', 'l']) batch.place({ topic: 'a', key, value: '', headers });
  batch.markAsRepeat();
  const [{ messages } = { messages: [] }] = batch.topicMessages;
  expect(messages.map((message) => message.headers)).toEqual(
    messages.map(() => ({ one: '1', [header.possibleRepeat]: '1' })),
  );
  expect(messages[0]?.headers).toBe(messages[1]?.headers);
  expect(headers).toEqual({ one: '1' });
});

it('places a message in doubt in the partition that it was first sent to, even after partitions were added', () => {
  const keys = Array.from({ length: 200 }, (_, n) => `k${n}`);
  const messages: OutgoingMessage[] = keys.map((key) => ({ topic: 'a', key, value: '', headers: {} }));
  const makeBatch = (partitions: number) => new SendBatch(new Map([['a', partitions]]), performance.now() + 1_000);
  const [before, after, again] = [makeBatch(6), makeBatch(7), makeBatch(3)];
  const first = messages.map((message) => before.place(message));
  expect(messages.map((message) => makeBatch(7).place(message))).not.toEqual(first);
  before.pin(messages);
  expect(messages.map((message) => after.place(message))).toEqual(first);
  after.pin(messages);
  expect(messages.map((message) => after.place(message))).toEqual(first);
  // A topic recreated with fewer partitions gets messages in each of them.
  expect(new Set(messages.map((message) => again.place(message)))).toEqual(new Set(['a:0', 'a:1', 'a:2']));
});
