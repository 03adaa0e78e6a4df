import { randomUUID } from 'node:crypto';
import { catalogCases, eventually } from '@sluice/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { createSegmentSource, postSegment, type SegmentSource } from './segment/write-key.js';
import { type HttpAnswer, post, select, sync } from './stack.js';

// docs/api.md#dates-and-times, on every path that takes a time.

let segment: SegmentSource;
beforeAll(async () => {
  segment = await createSegmentSource();
});

const entity = (endpoint: 'seller' | 'product') => catalogCases.find((cases) => cases.endpoint === endpoint)?.message;

type Send = (time: string, userId: string) => Promise<HttpAnswer>;
const paths: [string, Send][] = [
  ['track', (timestamp, userId) => post('track', { userId, event: 'e', timestamp })],
  ['identify', (timestamp, userId) => post('identify', { userId, timestamp })],
  ['trackBatch', (timestamp, userId) => post('trackBatch', { list: [{ userId, event: 'e', timestamp }] })],
  ['identifyBatch', (timestamp, userId) => post('identifyBatch', { list: [{ userId, timestamp }] })],
  ['seller', (createdAt) => sync('seller', { ...entity('seller'), createdAt })],
  ['product', (createdAt) => sync('product', { ...entity('product'), createdAt })],
];

const good = ['1970-01-01T14:00:00+14:00', '1969-12-31T23:00:00-01:00', '2149-06-06T23:59:59.999Z'];
const bad = [
  '1970-01-01T00:00:00+14:00',
  '1969-12-31T23:59:59.999Z',
  '2149-06-07T00:00:00Z',
  '2149-06-06T12:00:00-12:00',
  '2199-12-31T23:59:59.999-14:00',
];

describe.each(paths)('%s', (_, send) => {
  it.each(good)('takes %s', async (time) => expect((await send(time, randomUUID())).status).toBe(200));
  it.each(bad)('refuses %s', async (time) => {
    const { status, body } = await send(time, randomUUID());
    expect(status).toBe(400);
    expect(body).toEqual([expect.objectContaining({ message: expect.stringContaining('2149-06-06') as string })]);
  });
});

describe.each(['timestamp', 'originalTimestamp'])('%s of a client of Segment', (field) => {
  it('stores the items whose time has no day at their arrival, names them, and stores the others', async () => {
    const userId = randomUUID();
    const batch = [...good, ...bad].map((time) => ({ type: 'track', event: 'e', userId, [field]: time }));
    const { status, body } = await postSegment('batch', { batch }, { source: segment });
    expect(status).toBe(200);
    expect(body).not.toHaveProperty('rejected');
    expect((body as { dropped: { field: string }[] }).dropped.map((entry) => entry.field)).toEqual(
      // The time of the stored message, whichever member it comes from.
      bad.map((_, index) => `batch[${good.length + index}].timestamp`),
    );
    await eventually(async () => {
      const rows = await select(
        'SELECT toUnixTimestamp64Milli(timestamp) AS ms FROM events WHERE user_id = {userId:String}',
        { userId },
      );
      const arrived = (ms: number): boolean => Math.abs(ms - Date.now()) < 600_000;
      const times = rows.map(({ ms }) => Number(ms));
      expect(times.filter((ms) => !arrived(ms)).sort((a, b) => a - b)).toEqual([0, 0, 5_662_310_399_999]);
      expect(times.filter(arrived)).toHaveLength(bad.length);
    });
  });
});
