import { expect, it } from 'vitest';
import { tooLarge } from './edge/edge-request.js';
import { local, post } from './stack.js';

const failed = [{ field: '', message: 'error.sdk.authorization.failed' }];
const notFound = [{ field: '', message: 'error.sdk.source.notFound' }];
const event = { userId: 'u', event: 'e' };

/** A JSON body of exactly `bytes` bytes. */
const makeBody = (bytes: number): string => {
  const frame = JSON.stringify({ ...event, properties: { p: '' } });
  return JSON.stringify({ ...event, properties: { p: 'x'.repeat(bytes - frame.length) } });
};

it.each([
  ['no header', ''],
  ['another scheme', 'Basic dXNlcjpwYXNz'],
  ['no key', 'Bearer '],
  ['two keys', 'Bearer a b'],
])('answers %s with 401', async (_, authorization) => {
  const { status, body } = await post('track', event, { headers: { authorization } });
  expect([status, body]).toEqual([401, failed]);
});

it('answers the wrong key with 401', async () => {
  const source = { ...local().source, apiKey: 'wrong' };
  const { status, body } = await post('track', event, { source });
  expect([status, body]).toEqual([401, failed]);
});

it.each(['', 'short', 'unknown00000', 'thirteenchars', 'bad_chars-00', 'x'.repeat(5_000)])(
  'answers the unknown source "%s" with 404',
  async (sourceIdentifier) => {
    const { status, body } = await post('track', event, { source: { ...local().source, sourceIdentifier } });
    expect([status, body]).toEqual([404, notFound]);
  },
);

it('answers a body at the limit with 200, and one byte more with 413', async () => {
  expect((await post('track', makeBody(8_192))).status).toBe(200);
  const single = await post('track', makeBody(8_193));
  expect([single.status, single.body]).toEqual([413, tooLarge]);
  const batch = await post('trackBatch', `{"list":[${makeBody(819_200)}]}`);
  expect([batch.status, batch.body]).toEqual([413, tooLarge]);
});

it.each([['{"a":'], [''], ['\ud800'], ['['.repeat(40) + ']'.repeat(40)]])(
  'answers a malformed body with 400',
  async (text) => {
    const { status, body } = await post('track', text);
    expect([status, body]).toMatchObject([400, [{ field: '', message: 'error.request.malformed' }, {}]]);
  },
);

it.each([
  ['event', { userId: 'u' }],
  ['event', { userId: 'u', event: '' }],
  ['event', { userId: 'u', event: 'two words' }],
  ['event', { userId: 'u', event: 'e'.repeat(65) }],
  ['event', { userId: 'u', event: 5 }],
  ['userId', { event: 'e' }],
  ['userId', { userId: 'u'.repeat(65), event: 'e' }],
  ['userId', { userId: 7, event: 'e' }],
  ['anonymousId', { userId: 'u', anonymousId: 'a b', event: 'e' }],
  ['properties', { ...event, properties: [] }],
  ['context', { ...event, context: 'text' }],
  ['timestamp', { ...event, timestamp: '2024-02-30T00:00:00Z' }],
  ['timestamp', { ...event, timestamp: '2024-02-01' }],
  ['timestamp', { ...event, timestamp: 1_700_000_000 }],
])('answers 400 and names %s in %j', async (field, message) => {
  const { status, body } = await post('track', message);
  expect([status, body]).toEqual([400, [{ field, message: expect.any(String) as string }]]);
});

it('names every bad item of a batch, and an invalid list', async () => {
  const bad = await post('trackBatch', { list: [event, { event: 'e' }, event, { userId: 'u', event: '?' }] });
  expect(bad.status).toBe(400);
  expect(bad.body).toMatchObject([{ field: 'list[1].userId' }, { field: 'list[3].event' }]);

  for (const list of [[], Array(101).fill(event), 'text', undefined]) {
    const { status, body } = await post('trackBatch', { list });
    expect([status, body]).toEqual([400, [{ field: 'list', message: expect.any(String) as string }]]);
  }
});

it('answers an unknown path with 404', async () => {
  const { status, body } = await post('tracks', event);
  expect([status, body]).toEqual([404, [{ field: '', message: 'error.request.notFound' }]]);
});
