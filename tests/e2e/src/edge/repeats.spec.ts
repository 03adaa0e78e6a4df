import { eventually } from '@sluice/testing';
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { post, select } from '../stack.js';

const event = 'repeats';
const readIds = (userId: string, min: number): Promise<string[]> =>
  eventually(async () => {
    const query = 'SELECT DISTINCT message_id FROM events WHERE user_id = {userId:String} ORDER BY message_id';
    const rows = await select<{ message_id: string }>(query, { userId });
    expect(rows.length).toBeGreaterThanOrEqual(min);
    return rows.map(({ message_id }) => message_id);
  });
/** Marks the end: when it is stored, everything sent earlier for the same person is stored too. */
const last = (userId: string) => post('track', { userId, event });

it('a repeat with the same Idempotency-Key is the same message', async () => {
  const userId = randomUUID();
  const headers = { 'idempotency-key': randomUUID() };
  for (let i = 0; i < 3; i++) expect((await post('track', { userId, event }, { headers })).status).toBe(200);
  await last(userId);
  expect(await readIds(userId, 2)).toHaveLength(2);
});

it('another item, another place in the batch or another key is another message', async () => {
  const userId = randomUUID();
  const headers = { 'idempotency-key': randomUUID() };
  const item = { userId, event };
  const list = [item, item, { ...item, properties: { n: 1 } }];
  for (let i = 0; i < 2; i++) expect((await post('trackBatch', { list }, { headers })).status).toBe(200);
  await post('trackBatch', { list }, { headers: { 'idempotency-key': randomUUID() } });
  await last(userId);
  expect(await readIds(userId, 7)).toHaveLength(7);
});

it.each([
  ['k'.repeat(255), 200],
  ['k'.repeat(256), 400],
  ['é', 200],
  ['', 400],
])('the Idempotency-Key %.20s… is answered with %d', async (key, status) => {
  const answer = await post('track', { userId: 'u', event }, { headers: { 'idempotency-key': key } });
  expect(answer.status).toBe(status);
  if (status === 400) expect(answer.body).toMatchObject([{ field: 'Idempotency-Key' }]);
});

it('validate=only gives the answer of a real request and stores nothing', async () => {
  const userId = randomUUID();
  const list = [{ userId, event, unknown: 1 }, { event }];
  const only = (endpoint: string, body: object, headers = {}) => post(`${endpoint}?validate=only`, body, { headers });

  expect((await only('track', { userId, event })).body).toEqual({ status: 'QUEUED' });
  for (const headers of [{}, { prefer: 'handling=lenient' }]) {
    const dry = await only('trackBatch', { list }, headers);
    const wet = await post('trackBatch', { list: list.map((item) => ({ ...item, event: 'other' })) }, { headers });
    expect([dry.status, dry.body]).toEqual([wet.status, wet.body]);
  }
  for (const query of ['validate=', 'validate=yes', 'validate=only&validate=only']) {
    const { status, body } = await post(`track?${query}`, { userId, event });
    expect([status, body]).toMatchObject([400, [{ field: 'validate' }]]);
  }
  await last(userId);
  // Only the valid item of the real lenient batch and the last message are stored.
  expect(await readIds(userId, 2)).toHaveLength(2);
});
