import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { local } from '../stack.js';
import { createSegmentSource, postSegment } from '../segment/write-key.js';
import { event, makeProblems, send, text } from './edge-request.js';

const because = (message: string) => [...makeProblems('error.request.malformed'), { field: '', message }];

it.each([
  ["NaN of Python's json", '{"userId":"u","event":"e","properties":{"total":NaN}}', 'not JSON at byte 48: NaN'],
  ['a comma too many', '{"userId":"u","event":"e",}', 'not JSON at byte 25: a comma before }'],
  ['single quotes', "{'userId':'u'}", "not JSON at byte 1: a single quote ('), where JSON has double ones"],
  ['a byte order mark', `\ufeff${text}`, 'begins with a byte order mark (BOM), which JSON must not have'],
  [
    'Latin-1',
    Buffer.from('{"userId":"u","event":"e","properties":{"city":"K\xf6ln"}}', 'latin1'),
    'not UTF-8 at byte 49',
  ],
  ['no body', '', 'the body is empty'],
  ['gzip without its header', gzipSync(text), 'compressed by gzip, but without Content-Encoding: gzip'],
])('%s: the answer says what is wrong, and where', async (_, body, words) => {
  const sent = typeof body === 'string' ? body : new Uint8Array(body);
  for (const endpoint of ['track', 'trackBatch'])
    expect(await send(endpoint, { body: sent })).toMatchObject({ status: 400, body: because(words) });
});

it.each([
  ['a plain body', text, 'Content-Encoding is gzip, but the body is not compressed'],
  ['half of a body', gzipSync(text).subarray(0, 20), 'not gzip, or cut off'],
])('gzip in the header, and %s', async (_, body, words) => {
  const sent = typeof body === 'string' ? body : new Uint8Array(body);
  expect(await send('track', { body: sent, headers: { 'content-encoding': 'gzip' } })).toMatchObject({
    status: 400,
    body: because(words),
  });
});

const charactersOfId = 'must be 1 to 64 of the characters A-Z a-z 0-9 _ - . @ : + | = ~';
const charactersOfName = 'must be 1 to 64 of the characters a-z A-Z 0-9 _ - .';
const noPerson = 'is missing: must be there, or anonymousId';

it.each([
  [
    'a number as user',
    'track',
    { userId: 42, event: 'e' },
    [['userId', `must be text, not a number: ${charactersOfId}`]],
  ],
  ['no event', 'track', { userId: 'u' }, [['event', `is missing: ${charactersOfName}`]]],
  ['a blank in the name', 'track', { userId: 'u', event: 'Order Completed' }, [['event', charactersOfName]]],
  [
    'user_id',
    'track',
    { user_id: 'u', event: 'e' },
    [
      ['userId', noPerson],
      ['user_id', 'unknown field; userId is meant'],
    ],
  ],
  [
    'name for event',
    'track',
    { userId: 'u', name: 'e' },
    [
      ['event', `is missing: ${charactersOfName}`],
      ['name', 'unknown field; event is meant'],
    ],
  ],
  [
    'seconds as time',
    'track',
    { ...event, timestamp: 1_700_000_000 },
    [['timestamp', 'must be text, not a number: must be an ISO 8601 date and time from 1970-01-01 to 2149-06-06, UTC']],
  ],
  ['properties as text', 'track', { ...event, properties: '{}' }, [['properties', 'must be an object']]],
  ['JSON as text', 'track', text, [['', 'must be an object, not text']]],
  [
    'a list to track',
    'track',
    { list: [event] },
    [
      ['userId', noPerson],
      ['event', `is missing: ${charactersOfName}`],
      ['list', 'unknown field; only a batch has it'],
    ],
  ],
  ['an array to trackBatch', 'trackBatch', [event], [['', 'must be an object, not an array']]],
  [
    'batch for list',
    'trackBatch',
    { batch: [event] },
    [
      ['list', 'is missing: must be an array of 1 to 100 items'],
      ['batch', 'unknown field; list is meant'],
    ],
  ],
  [
    'a user_id in a batch',
    'trackBatch',
    { list: [{ user_id: 'u', event: 'e' }] },
    [
      ['list[0].userId', noPerson],
      ['list[0].user_id', 'unknown field; userId is meant'],
    ],
  ],
] as const)('%s: the answer names what to change', async (_, endpoint, body, problems) => {
  const answer = await send(endpoint, { body: JSON.stringify(body) });
  const entries = problems.map(([field, message]) => ({ field, message })).sort(byField);
  expect([answer.status, (answer.body as { field: string }[]).sort(byField)]).toEqual([400, entries]);
});

const byField = (a: { field: string }, b: { field: string }): number => a.field.localeCompare(b.field);

it('an error repeats no value of a body', async () => {
  const body = '{"userId":"u","event":"e","properties":{"email":ada@example.com}}';
  expect(JSON.stringify((await send('track', { body })).body)).not.toContain('ada');
});

it('clients of Segment get a sentence', async () => {
  const source = await createSegmentSource();
  const ownKey = { ...local().source, writeKey: `${local().source.sourceIdentifier}_${local().source.apiKey}` };
  const message = async (writeKey: string, from = source): Promise<unknown> =>
    (await postSegment('track', event, { source: { ...from, writeKey } })).body;
  const unauthorized = 'error.sdk.authorization.failed';
  expect(await message(ownKey.writeKey, { ...source, ...ownKey })).toEqual({
    code: 'error.sdk.source.forbidden',
    message: 'this source takes no clients of Segment: operator sources segment <sourceIdentifier> on',
  });
  expect(await message(source.apiKey)).toMatchObject({
    code: unauthorized,
    message: expect.stringMatching(
      /^the write key is <sourceIdentifier>_<apiKey>.* an API key alone is none$/,
    ) as string,
  });
  expect(await message('')).toMatchObject({ message: expect.stringMatching(/^send the write key/) as string });
  expect(await message(`${source.sourceIdentifier}_x`)).toEqual({
    code: unauthorized,
    message: 'the API key of the write key is not one of the source: was it rotated?',
  });
  expect((await postSegment('track', '{"event":NaN}', { source })).body).toEqual({
    code: 'error.request.malformed',
    message: 'not JSON at byte 9: NaN',
  });
  expect((await postSegment('capture', event, { source })).body).toMatchObject({ code: 'error.request.notFound' });
});
