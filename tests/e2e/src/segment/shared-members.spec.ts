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
const tooLargeItem = (index: number): object => ({
  field: `batch[${index}]`,
  message: `has more than ${itemBytes} bytes with what its batch adds`,
});

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

const makeMembers = (count: number, value: unknown): object =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]));
/** Names of the greatest length that is stored. */
const longNames = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}`.padEnd(4_096, 'n'), 1]));

/** Answers: good items are taken, or the batch is refused because of what it has for all items, or of all rows. */
const accepted = { status: 200, body: { success: true } };
const refusedFor = (why: string): object => ({
  status: 413,
  body: { code: 'error.request.tooLarge', message: expect.stringContaining(why) as string },
});
const tooMuchForAll = refusedFor(`context: must have at most ${itemBytes} bytes`);
const tooLargeTogether = refusedFor(`more than ${requestBytes} bytes together`);

/** Members that a batch can have for all of its items, and the answer. */
const shared: Readonly<Record<string, { members: object; answer: object; answerToRefused?: object }>> = {
  'a context of long texts': { members: { context: makeMembers(80, 'x'.repeat(4_000)) }, answer: tooMuchForAll },
  'a context just within the limit': {
    members: { context: makeMembers(8, 'x'.repeat(4_000)) },
    answer: tooLargeTogether,
  },
  'a context of thousands of members': { members: { context: makeMembers(2_900, 1) }, answer: tooLargeTogether },
  // Such values are not stored, but refused items are kept whole.
  'a context of values out of range': {
    ...{ members: { context: makeMembers(7, 'x'.repeat(4_200)) }, answer: accepted, answerToRefused: tooLargeTogether },
  },
  'a context of arrays': { members: { context: makeMembers(60, Array(256).fill(1)) }, answer: tooLargeTogether },
  'a context of long names': {
    ...{ members: { context: { a: longNames(6), b: { c: longNames(1) } } }, answer: tooLargeTogether },
  },
  'a context of too many long names': { members: { context: { a: longNames(8) } }, answer: tooMuchForAll },
  'a context of a name that is too long': {
    members: { context: { a: { ['n'.repeat(4_097)]: 1 } } },
    ...{ answer: accepted, answerToRefused: tooLargeTogether },
  },
  'a short context': { members: { context: { app: { name: 'x' } } }, answer: accepted },
  'a long sentAt': { members: { sentAt: 'x'.repeat(300_000) }, answer: accepted },
  'a sentAt that is an object': { members: { sentAt: makeMembers(80, 'x'.repeat(4_000)) }, answer: accepted },
  'members that nobody knows': { members: makeMembers(80, 'x'.repeat(4_000)), answer: accepted },
  'integrations and more': {
    members: { integrations: makeMembers(80, 'x'.repeat(4_000)), timestamp: 'x'.repeat(9_000) },
    answer: accepted,
  },
};
const anEvent = { type: 'track', event: 'e', userId: 'u' };
const items: Readonly<Record<string, object>> = {
  events: anEvent,
  'events with a context': { ...anEvent, context: { app: 1 } },
  'events with other values in their context': { ...anEvent, context: { k0: 'own', a: [1] } },
  identifies: { type: 'identify', userId: 'u' },
  'refused items': {},
};
const batches = Object.entries(shared).flatMap(([caseName, { members, answer, answerToRefused = answer }]) =>
  Object.entries(items).map(([kind, item]) => {
    const body = { ...members, batch: Array(2_500).fill(item) };
    return { what: caseName, kind, body, answer: kind === 'refused items' ? answerToRefused : answer };
  }),
);

/** Items with long contexts of their own next to that of their batch. */
const ownContexts: readonly { what: string; own: object; count: number; context: object; answer: object }[] = [
  {
    what: 'a long name',
    own: { a: longNames(1) },
    count: 100,
    context: makeMembers(5, 'x'.repeat(4_000)),
    answer: accepted,
  },
  { what: 'another long name', own: { b: longNames(1) }, count: 100, context: { a: longNames(4) }, answer: accepted },
  {
    ...{ what: 'a long text', own: { k: 'y'.repeat(4_000) }, count: 100, context: makeMembers(7, 'x'.repeat(4_200)) },
    answer: { status: 200, body: { rejected: expect.arrayContaining([tooLargeItem(99)]) as unknown } },
  },
  {
    ...{ what: 'a name of 1,000', own: { a: { ['m'.repeat(1_000)]: 1 } }, count: 250, context: { b: longNames(4) } },
    answer: tooLargeTogether,
  },
];

async function expectSmall(endpoint: string, body: object, answer: object): Promise<void> {
  await forgetPeak(gateway.pid);
  const before = await peakMb(gateway.pid);
  expect(await send(endpoint, body)).toMatchObject(answer);
  expect((await peakMb(gateway.pid)) - before).toBeLessThan(maxGrowthMb);
}

describe.each(['batch', 'import?validate=only'])('%s', (endpoint) => {
  it.each(batches)('$what in each of 2,500 $kind takes little memory', ({ body, answer }) =>
    expectSmall(endpoint, body, answer),
  );

  it.each(ownContexts)('$what in each of $count items next to a shared context', ({ own, count, context, answer }) =>
    expectSmall(endpoint, { context, batch: Array(count).fill({ ...anEvent, context: own }) }, answer),
  );
});

it.each(['trackBatch', 'identifyBatch'])(
  'members next to the list of %s become no part of its items',
  async (endpoint) => {
    await forgetPeak(gateway.pid);
    const before = await peakMb(gateway.pid);
    for (const [caseName, { members }] of Object.entries(shared)) {
      const body = {
        ...members,
        list: Array(100).fill({ userId: 'u', ...(endpoint === 'trackBatch' && { event: 'e' }) }),
      };
      const options = { source, gateway: gateway.url };
      expect([caseName, (await post(`${endpoint}?validate=only`, body, options)).status]).toEqual([caseName, 200]);
    }
    expect((await peakMb(gateway.pid)) - before).toBeLessThan(maxGrowthMb);
  },
);

const makeContext = (bytes: number): object => ({ a: 'x'.repeat(4_000), b: ['y'.repeat(bytes - 4_017)] });

it('refuses a batch whose shared members are larger than an item may be, and names them', async () => {
  const context = makeContext(itemBytes + 1);
  expect(await send('batch', { context, batch: [{}] })).toMatchObject({
    status: 413,
    body: { code: 'error.request.tooLarge', message: expect.stringContaining('context: must have at most') as string },
  });
  expect((await send('batch?validate=only', { context: makeContext(itemBytes), batch: [{}] })).status).toBe(200);
});

it('refuses a batch whose messages are too large together, and names the limit', async () => {
  const context = makeContext(20_000);
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
  const body = { context: makeContext(6_000), batch: [item('a', 1_000), item('b', 28_000), item('c', 20_000)] };
  expect(await send('batch', body)).toMatchObject({
    status: 200,
    body: {
      rejected: [tooLargeItem(1)],
    },
  });
  await eventually(async () => {
    const count = (table: string) =>
      select(`SELECT count() AS n FROM ${table} FINAL WHERE user_id = {userId:String}`, { userId });
    expect([await count('events'), await count('refused_messages')]).toEqual([[{ n: 2 }], [{ n: 1 }]]);
  });
});
