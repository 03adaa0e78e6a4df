import { eventually } from '@sluice/testing';
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { type HttpAnswer, local, post, select } from './stack.js';

const anId = (): string => `user-${randomUUID().slice(0, 8)}`;
const readRequestId = ({ headers }: HttpAnswer): string => headers.get('x-request-id') ?? '';

const untilRows = async (table: 'events' | 'identifies', answer: HttpAnswer, count: number) => {
  const query = `SELECT * EXCEPT (stored_at) FROM ${table} WHERE request_id = {id:UUID} ORDER BY user_id, anonymous_id`;
  return eventually(async () => {
    const rows = await select(query, { id: readRequestId(answer) });
    expect(rows).toHaveLength(count);
    return rows;
  });
};

it('stores a tracked event with every field and the right types', async () => {
  const userId = anId();
  const before = Date.now();
  const answer = await post('track', {
    userId,
    anonymousId: 'a@b.c|1=2~3+4:5',
    event: 'order_completed.v-2',
    properties: { total: 49.9, items: 3, gift: true, tags: ['a', 'b'], ship: { city: 'شیراز 🌹', on: 'Jan 5 2024' } },
    context: { ip: '10.0.0.1', locale: 'fa-IR' },
    timestamp: '2019-03-04T05:06:07.089+03:30',
  });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({ status: 'QUEUED' });

  const [row] = await untilRows('events', answer, 1);
  expect(row).toMatchObject({
    source_id: local().source.sourceIdentifier,
    event: 'order_completed.v-2',
    user_id: userId,
    anonymous_id: 'a@b.c|1=2~3+4:5',
    properties: { total: 49.9, items: 3, gift: true, tags: ['a', 'b'], ship: { city: 'شیراز 🌹', on: 'Jan 5 2024' } },
    context: { ip: '10.0.0.1', locale: 'fa-IR' },
    timestamp: '2019-03-04 01:36:07.089',
  });
  const receivedAt = Date.parse(`${String(row?.['received_at']).replace(' ', 'T')}Z`);
  expect(receivedAt).toBeGreaterThanOrEqual(before);
  expect(receivedAt).toBeLessThanOrEqual(Date.now());

  const [types] = await select(
    `SELECT toTypeName(properties.total) AS total, dynamicType(properties.total) AS dynamic_total,
            dynamicType(properties.items) AS items, dynamicType(properties.gift) AS gift, dynamicType(properties.ship.on) AS on
     FROM events WHERE request_id = {id:UUID}`,
    { id: readRequestId(answer) },
  );
  expect(types).toEqual({ total: 'Dynamic', dynamic_total: 'Float64', items: 'Int64', gift: 'Bool', on: 'String' });
});

it('uses the time of arrival when the client sends no timestamp', async () => {
  const answer = await post('track', { anonymousId: anId(), event: 'page_view' });

  const [row] = await untilRows('events', answer, 1);
  expect(row?.['timestamp']).toBe(row?.['received_at']);
  expect(row).toMatchObject({ user_id: '', properties: {}, context: {} });
});

it('treats null as absent', async () => {
  const answer = await post('track', {
    userId: anId(),
    anonymousId: null,
    event: 'x',
    properties: null,
    timestamp: null,
  });
  expect(answer.status).toBe(200);
  await untilRows('events', answer, 1);
});

it('stores an identify and the latest value of each trait, even when messages come out of order', async () => {
  const userId = anId();
  const identify = (traits: object, timestamp: string) =>
    post('identify', { userId, anonymousId: 'anon', traits, timestamp });
  const answer = await identify(
    { plan: 'pro', since: '2024-01-05T10:00:00+03:30', address: { city: 'Köln' } },
    '2024-02-01T00:00:00Z',
  );
  await identify({ plan: 'free', name: 'Zoë' }, '2024-01-01T00:00:00Z');

  const [row] = await untilRows('identifies', answer, 1);
  expect(row).toMatchObject({
    user_id: userId,
    anonymous_id: 'anon',
    traits: { plan: 'pro', address: { city: 'Köln' } },
  });
  await eventually(async () => {
    const traits = await select('SELECT traits FROM user_traits WHERE user_id = {userId:String}', { userId });
    expect(traits).toEqual([
      { traits: { plan: 'pro', since: '2024-01-05T10:00:00+03:30', name: 'Zoë', address: { city: 'Köln' } } },
    ]);
  });
});

it('stores each item of batches of 100 once', async () => {
  const prefix = anId();
  const list = Array.from({ length: 100 }, (_, i) => ({ userId: `${prefix}-${String(i).padStart(2, '0')}` }));

  const tracked = await post('trackBatch', {
    list: list.map((item, i) => ({ ...item, event: 'e', properties: { i } })),
  });
  const identified = await post('identifyBatch', { list: list.map((item, i) => ({ ...item, traits: { i } })) });

  expect([tracked.body, identified.body]).toEqual([{ status: 'QUEUED' }, { status: 'QUEUED' }]);
  const events = await untilRows('events', tracked, 100);
  expect(events.map(({ user_id }) => user_id)).toEqual(list.map(({ userId }) => userId));
  expect(events.map(({ properties }) => properties)).toEqual(list.map((_, i) => ({ i })));
  expect(new Set(events.map(({ message_id }) => message_id)).size).toBe(100);
  await untilRows('identifies', identified, 100);
});
