import { gzipSync } from 'node:zlib';
import { eventually } from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forgetPeak, peakMb } from '../faults/peak-memory.js';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.js';
import { type HttpAnswer, post, select } from '../stack.js';
import { createSegmentSource, postSegment, type SegmentSource } from './write-key.js';

/** Upper bounds of docs/segment.md#paths. */
const [itemBytes, requestBytes] = [32_768, 4_194_304];
const maxGrowthMb = 200;

let source: SegmentSource;
let gateway: GatewayProcess;
beforeAll(async () => {
  source = await createSegmentSource();
  // A heap that is smaller than what one request of a kilobyte could once fill.
  gateway = await startGatewayProcess({ NODE_OPTIONS: '--max-old-space-size=320' });
});
afterAll(() => gateway.stop());

const headers = { 'content-encoding': 'gzip' };
const zipped = (body: unknown): Buffer => gzipSync(JSON.stringify(body));
const send = (endpoint: string, body: unknown): Promise<HttpAnswer> =>
  postSegment(endpoint, zipped(body), { source, gateway: gateway.url, headers });

const membersOf = (count: number, value: unknown): object =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]));
/** What a batch can have for all of its items. */
const shared: Readonly<Record<string, object>> = {
  'a context of long texts': { context: membersOf(100, 'x'.repeat(4_000)) },
  'a context just within the limit': { context: membersOf(8, 'x'.repeat(4_000)) },
  'a context of thousands of members': { context: membersOf(2_900, 1) },
  'a context of values out of range': { context: membersOf(7, 'x'.repeat(4_200)) },
  'a context of arrays': { context: membersOf(60, Array(256).fill(1)) },
  'a long sentAt': { sentAt: 'x'.repeat(400_000) },
  'a sentAt that is an object': { sentAt: membersOf(100, 'x'.repeat(4_000)) },
  'members that nobody knows': membersOf(90, 'x'.repeat(4_000)),
  'integrations and more': { integrations: membersOf(90, 'x'.repeat(4_000)), timestamp: 'x'.repeat(9_000) },
};
const items: Readonly<Record<string, object>> = {
  events: { type: 'track', event: 'e', userId: 'u' },
  'events with a context': { type: 'track', event: 'e', userId: 'u', context: { app: 1 } },
  identifies: { type: 'identify', userId: 'u' },
  'refused items': {},
};
const batches = Object.entries(shared).flatMap(([what, members]) =>
  Object.entries(items).map(([kind, item]) => ({ what, kind, body: { ...members, batch: Array(2_500).fill(item) } })),
);

describe.each(['batch', 'import?validate=only'])('%s', (endpoint) => {
  it.each(batches)('$what in each of 2,500 $kind takes little memory', async ({ body }) => {
    await forgetPeak(gateway.pid);
    const before = await peakMb(gateway.pid);
    const { status, body: answer } = await send(endpoint, body);
    expect([200, 413]).toContain(status);
    if (status === 413) expect(answer).toMatchObject({ code: 'error.request.tooLarge' });
    expect((await peakMb(gateway.pid)) - before).toBeLessThan(maxGrowthMb);
  });
});

it.each(['trackBatch', 'identifyBatch'])(
  'members next to the list of %s become no part of its items',
  async (endpoint) => {
    await forgetPeak(gateway.pid);
    const before = await peakMb(gateway.pid);
    for (const [what, members] of Object.entries(shared)) {
      const body = {
        ...members,
        list: Array(100).fill({ userId: 'u', ...(endpoint === 'trackBatch' && { event: 'e' }) }),
      };
      const options = { source, gateway: gateway.url };
      expect([what, (await post(`${endpoint}?validate=only`, body, options)).status]).toEqual([what, 200]);
    }
    expect((await peakMb(gateway.pid)) - before).toBeLessThan(maxGrowthMb);
  },
);

const contextOf = (bytes: number): object => ({ a: 'x'.repeat(4_000), b: ['y'.repeat(bytes - 4_017)] });

it('refuses a batch whose shared members are larger than an item may be, and names them', async () => {
  const context = contextOf(itemBytes + 1);
  expect(await send('batch', { context, batch: [{}] })).toMatchObject({
    status: 413,
    body: { code: 'error.request.tooLarge', message: expect.stringContaining('context: must have at most') as string },
  });
  expect((await send('batch?validate=only', { context: contextOf(itemBytes), batch: [{}] })).status).toBe(200);
});

it('refuses a batch whose messages are too large together, and names the limit', async () => {
  const context = contextOf(20_000);
  const batch = (count: number) => ({ context, batch: Array(count).fill({ type: 'track', event: 'e', userId: 'u' }) });
  // The long text of 16 kB is dropped, so that a row has some 4,500 bytes.
  expect((await send('batch?validate=only', batch(500))).status).toBe(200);
  for (const endpoint of ['batch', 'batch?validate=only'])
    expect(await send(endpoint, batch(1_000))).toMatchObject({
      status: 413,
      body: { message: expect.stringContaining(`more than ${requestBytes} bytes together`) as string },
    });
});

it('an item that is too large with what its batch adds is kept, and the others are stored', async () => {
  const userId = `large-${process.pid}`;
  const item = (messageId: string, bytes: number) => ({
    ...{ type: 'track', event: 'e', userId, messageId },
    properties: { list: Array.from({ length: bytes / 1_000 }, () => 'x'.repeat(997)) },
  });
  const body = { context: contextOf(6_000), batch: [item('a', 1_000), item('b', 28_000), item('c', 20_000)] };
  expect(await send('batch', body)).toMatchObject({
    status: 200,
    body: {
      rejected: [{ field: 'batch[1]', message: `has more than ${itemBytes} bytes with what its batch adds` }],
    },
  });
  await eventually(async () => {
    const count = (table: string) =>
      select(`SELECT count() AS n FROM ${table} FINAL WHERE user_id = {userId:String}`, { userId });
    expect([await count('events'), await count('refused_messages')]).toEqual([[{ n: 2 }], [{ n: 1 }]]);
  });
});
