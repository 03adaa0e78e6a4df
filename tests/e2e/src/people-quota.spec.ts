import { randomUUID } from 'node:crypto';
import { createClient } from '@sluice/node';
import { eventually } from '@sluice/testing';
import { beforeEach, expect, it } from 'vitest';
import { local, operator, post, select } from './stack.js';
import { createSegmentSource, postSegment, type SegmentSource } from './segment/write-key.js';

const event = { userId: 'u', event: 'busy' };
const registration = (deviceId: string) => ({
  userId: 'u',
  event: 'bb_notification_registered',
  properties: { key: 'push token', device_id: deviceId, sdk: 'WEB' },
});
const exceeded = [429, [{ field: '', message: 'error.request.quotaExceeded' }]];

let source: SegmentSource;
/** A source whose events have used up their quota, and whose people have not. */
beforeEach(async () => {
  source = await createSegmentSource();
  await operator('sources', 'limit', source.sourceIdentifier, '--daily-quota', '1', '--daily-people-quota', '3');
  await eventually(async () => {
    expect((await post('track', event, { source })).status).toBe(429);
  });
});

async function readStatus(endpoint: string, body: unknown): Promise<unknown[]> {
  const { status, body: answer } = await post(endpoint, body, { source });
  return status === 200 ? [status] : [status, answer];
}

const count = async (table: string, condition: string, value: string): Promise<number> => {
  const query = `SELECT count() AS rows FROM ${table} FINAL WHERE source_id = {source:String} AND ${condition}`;
  const [row] = await select<{ rows: string }>(query, { source: source.sourceIdentifier, value });
  return Number(row?.rows);
};

it('people who sign in and devices are known when the events of the day are used up', async () => {
  const userId = randomUUID();
  expect(await readStatus('identify', { userId, traits: { plan: 'gold' } })).toEqual([200]);
  expect(await readStatus('track', registration(userId))).toEqual([200]);
  expect(await readStatus('trackBatch', { list: [event] })).toEqual(exceeded);
  expect(await readStatus('identifyBatch', { list: [{ userId }, { userId }] })).toEqual([200]);
  expect(await readStatus('identify', { userId })).toEqual(exceeded);
  expect(await readStatus('track', registration(userId))).toEqual(exceeded);
  await eventually(async () => {
    expect(await count('identifies', 'user_id = {value:String}', userId)).toBe(3);
    expect(await count('push_devices', 'device_id = {value:String}', userId)).toBe(1);
  });
});

it('a batch of both is refused, and its people are stored, once also when it is repeated', async () => {
  const deviceId = randomUUID();
  const late = { ...event, event: 'late' };
  const batch = { list: [late, registration(deviceId), late] };
  const headers = { 'idempotency-key': randomUUID() };
  for (let i = 0; i < 2; i++) {
    const { status, body } = await post('trackBatch', batch, { source, headers });
    expect([status, body]).toEqual(exceeded);
  }
  await eventually(async () => {
    expect(await count('push_devices', 'device_id = {value:String}', deviceId)).toBe(1);
    expect(await count('events', "event = 'bb_notification_registered' AND user_id = {value:String}", 'u')).toBe(1);
  });
  expect(await count('events', 'event = {value:String}', 'late')).toBe(0);
  await operator('sources', 'limit', source.sourceIdentifier, '--daily-quota', 'none');
  await eventually(async () => {
    expect((await post('trackBatch', batch, { source, headers })).status).toBe(200);
  });
  await eventually(async () => {
    expect(await count('events', 'event = {value:String}', 'late')).toBe(2);
  });
});

it('an SDK whose events are refused sends its people and devices', async () => {
  const userId = randomUUID();
  const client = createClient({ credentials: source, apiHost: local().gateway.url });
  client.track('late', {}, { userId });
  expect(await client.flush()).toEqual({ sent: 0, left: 1 });
  client.identify(userId, { plan: 'gold' });
  client.track('bb_notification_registered', registration(userId).properties, { userId });
  client.track('late', {}, { userId });
  expect(await client.close()).toEqual({ sent: 2, left: 2 });
  await eventually(async () => {
    expect(await count('identifies', 'user_id = {value:String}', userId)).toBe(1);
    expect(await count('push_devices', 'device_id = {value:String}', userId)).toBe(1);
  });
  expect(await count('events', "event = 'late' AND user_id = {value:String}", userId)).toBe(0);
});

it('identify and alias of a client of Segment count as people, and its other calls do not', async () => {
  const [userId, previousId] = [randomUUID(), randomUUID()];
  const items = [
    { type: 'track', event: 'Order Completed', userId },
    { type: 'identify', userId, traits: {} },
    { type: 'alias', userId, previousId },
    { type: 'group', userId, groupId: 'org-1' },
  ].map((item) => ({ ...item, messageId: randomUUID() }));
  const { status } = await postSegment('batch', { batch: items }, { source });
  expect(status).toBe(429);
  await eventually(async () => {
    expect(await count('identifies', 'user_id = {value:String}', userId)).toBe(2);
  });
  expect(await count('events', 'user_id = {value:String}', userId)).toBe(0);
  expect((await postSegment('group', items[3], { source })).status).toBe(429);
  expect((await postSegment('identify', items[1], { source })).status).toBe(200);
});

it('without a number of its own, the quota of people is as large as that of events', async () => {
  await operator('sources', 'limit', source.sourceIdentifier, '--daily-people-quota', 'none');
  const { limits } = await operator<{ limits: object }>('sources', 'show', source.sourceIdentifier);
  expect(limits).toEqual({ dailyQuota: 1 });
  await eventually(async () => {
    expect((await post('identify', { userId: 'u' }, { source })).status).toBe(429);
  });
});
