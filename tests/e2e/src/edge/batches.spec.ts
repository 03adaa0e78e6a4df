import { eventually } from '@sluice/testing';
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { type HttpAnswer, post, select } from '../stack.js';
import { event } from './edge-request.js';

const lenient = { headers: { prefer: 'handling=lenient' } };
const bad = { event: 'e' };
const stored = async (userId: string): Promise<number> => {
  const [row] = await select('SELECT uniqExact(message_id) AS n FROM events WHERE user_id = {userId:String}', {
    userId,
  });
  return Number(row?.['n']);
};
const becomes = (userId: string, count: number) =>
  eventually(async () => {
    expect(await stored(userId)).toBe(count);
  });
const applied = ({ headers }: HttpAnswer): string | null => headers.get('preference-applied');

it.each([
  [1, 200],
  [100, 200],
  [101, 400],
  [0, 400],
])('a list of %d items is answered with %d', async (length, status) => {
  for (const endpoint of ['trackBatch', 'identifyBatch']) {
    const answer = await post(endpoint, { list: Array(length).fill({ userId: 'u', event: 'e' }) });
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body).toMatchObject([{ field: 'list' }]);
  }
});

it('a batch is accepted whole or not at all; the answer names each bad item and each item that is not an object', async () => {
  const userId = randomUUID();
  const list = [{ ...event, userId }, bad, 5, null, [], 'text', { ...event, userId }];
  const answer = await post('trackBatch', { list });
  expect(answer.status).toBe(400);
  const fields = (answer.body as { field: string }[]).map(({ field }) => field);
  expect(fields).toEqual(['list[1].userId', 'list[2]', 'list[3]', 'list[4]', 'list[5]']);
  expect(applied(answer)).toBeNull();

  await post('trackBatch', { list: [{ ...event, userId }] });
  await becomes(userId, 1);
});

it('lenient: good items are stored and bad items are named', async () => {
  const userId = randomUUID();
  const good = { ...event, userId, unknown: 1 };
  const answer = await post('trackBatch', { list: [good, bad, good], extra: 1 }, lenient);
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    status: 'QUEUED',
    rejected: [{ field: 'list[1].userId' }],
    dropped: [{ field: 'extra' }, { field: 'list[0].unknown' }, { field: 'list[2].unknown' }],
  });
  expect(applied(answer)).toBe('handling=lenient');
  await becomes(userId, 2);
});

it('lenient: a batch without a good item is refused, and so is an empty list', async () => {
  const all = await post('trackBatch', { list: [bad, bad] }, lenient);
  expect([all.status, all.body]).toMatchObject([400, [{ field: 'list[0].userId' }, { field: 'list[1].userId' }]]);
  const none = await post('trackBatch', { list: [] }, lenient);
  expect([none.status, none.body]).toMatchObject([400, [{ field: 'list' }]]);
});

it.each([
  ['handling=lenient', 200],
  ['respond-async, Handling = "lenient"; x=1', 200],
  ['handling=strict', 400],
  ['handling=strict, handling=lenient', 400],
  ['handling=lenient, handling=strict', 200],
  ['lenient', 400],
  ['x-handling=lenient', 400],
])('Prefer: %s is answered with %d', async (prefer, status) => {
  const answer = await post('trackBatch', { list: [event, bad] }, { headers: { prefer } });
  expect(answer.status).toBe(status);
});
