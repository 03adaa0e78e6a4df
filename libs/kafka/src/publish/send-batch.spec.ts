import { header } from '@sluice/contracts';
import { expect, it } from 'vitest';
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
