import { eventually } from '@sluice/testing';
import { type OutgoingMessage } from '@sluice/kafka';
import { expect, it, vi } from 'vitest';
import { HeldRequests } from './held-requests.js';

const aMessage = (value: string): OutgoingMessage => ({ topic: 't', key: 'k', value, headers: {} });

it('releases all requests at once, in order, and answers each with its own result', async () => {
  const held = new HeldRequests(() => undefined);
  const answers = Promise.allSettled(['1', '2', '3'].map((value) => held.hold([aMessage(value)])));
  const published: unknown[] = [];
  const released = held.release((messages) => {
    published.push(...messages.map(({ value }) => value));
    return published.length === 2 ? Promise.reject(new Error('full')) : Promise.resolve();
  });
  expect(published).toEqual(['1', '2', '3']);
  await released;
  expect((await answers).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

it('holds at most 8 MiB, at most 20,000 messages, and no request for long', async () => {
  const tooLong = vi.fn();
  void new HeldRequests(tooLong).hold([aMessage('x'.repeat(8 * 1024 * 1024))]);
  expect(tooLong).not.toHaveBeenCalled();
  void new HeldRequests(tooLong).hold([aMessage('x'.repeat(8 * 1024 * 1024 + 1))]);
  expect(tooLong).toHaveBeenCalledTimes(1);
  void new HeldRequests(tooLong).hold(Array.from({ length: 20_001 }, () => aMessage('')));
  expect(tooLong).toHaveBeenCalledTimes(2);
  await eventually(() => expect(tooLong).toHaveBeenCalledTimes(5));
});
