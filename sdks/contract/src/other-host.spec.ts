import { type HttpAnswer, type HttpRequest, type SluiceError } from '@sluice/sdk-core';
import { expect, it } from 'vitest';
import { aTab } from './a-tab.spec-support.js';
import { MemoryQueue } from './memory-queue.js';

const queued: HttpAnswer = { status: 200, body: '{"status":"QUEUED"}', header: () => null };
const never = new Promise<HttpAnswer>(() => undefined);

it('ten doubtful batches of a host that is silent delay nothing that goes to the present one', async () => {
  const queue = new MemoryQueue();
  const old = aTab({ queue, flushAt: 1, answer: () => never });
  for (let index = 0; index < 10; index++) old.client.track(`old-${index}`);
  await old.clock.advance(5_000);
  for (const { batch } of queue.batches.values()) batch.doubts = 1;
  const answer = ({ url }: HttpRequest) => (url.startsWith('https://new.test') ? Promise.resolve(queued) : never);
  const { client, clock, sent } = aTab({ queue, host: 'https://new.test', flushAt: 1, answer });
  await clock.advance(10);
  for (const event of ['a', 'b', 'c']) client.track(event);
  await clock.advance(1_000);
  expect(sent.filter((event) => !event.startsWith('old'))).toEqual(['a', 'b', 'c']);
});

it.each([0, 100])('a denial counts each message once, in a store that answers after %i ms', async (ms) => {
  const queue = new MemoryQueue();
  const append = queue.append.bind(queue);
  const reports: SluiceError[] = [];
  const { client, clock } = aTab({ queue, errorHandler: (error) => void reports.push(error) });
  const slow = (...call: Parameters<MemoryQueue['append']>) => {
    const isTaken = append(...call);
    return ms === 0 ? isTaken : new Promise((resolve) => void clock.later(ms, () => resolve(isTaken)));
  };
  Object.assign(queue, { append: slow });
  for (const event of ['a', 'b']) client.track(event);
  client.consent('denied');
  await clock.advance(1_000);
  expect(reports).toMatchObject([{ code: 'denied', count: 2 }]);
});

it('a denial counts the calls that waited for the stored ids', async () => {
  const reports: SluiceError[] = [];
  const ready = new Promise(() => undefined);
  const { client, clock } = aTab({ ready, errorHandler: (error) => void reports.push(error) });
  client.track('a');
  client.reset();
  client.track('b');
  client.consent('denied');
  await clock.advance(10);
  expect(reports).toMatchObject([{ code: 'denied', count: 2 }]);
});
