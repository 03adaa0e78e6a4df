import { expect, it } from 'vitest';
import { post } from '../stack.js';
import { event, eventOfBytes, malformed, send, tooLarge } from './edge-request.js';

const listFields = (body: unknown): string[] => (body as { field: string }[]).map(({ field }) => field);
const listDropped = (body: unknown): string[] => listFields((body as { dropped?: unknown }).dropped ?? []);

/** A batch of exactly `bytes` bytes. */
function batchOfBytes(bytes: number, filler: string): string {
  const body = `{"list":[${Array.from({ length: 90 }, () => eventOfBytes(9_000, filler)).join(',')},`;
  return `${body}${eventOfBytes(bytes - Buffer.byteLength(body) - 2)}]}`;
}

it.each([
  ['track', 8_192, 'x'],
  ['track', 8_192, 'é'],
  ['track', 8_192, '🌹'],
  ['trackBatch', 819_200, 'x'],
  ['trackBatch', 819_200, '🌹'],
])('%s accepts %d bytes of "%s" and refuses one byte more', async (endpoint, limit, filler) => {
  const makeBody = (bytes: number): string =>
    endpoint === 'track' ? eventOfBytes(bytes, filler) : batchOfBytes(bytes, filler);
  expect(Buffer.byteLength(makeBody(limit))).toBe(limit);
  expect((await send(endpoint, { body: makeBody(limit) })).status).toBe(200);
  const over = await send(endpoint, { body: makeBody(limit + 1) });
  expect([over.status, over.body]).toEqual([413, tooLarge]);
});

it('a body far over the limit is refused without a connection error', async () => {
  const answer = await send('trackBatch', { body: 'x'.repeat(20_000_000) });
  expect([answer.status, answer.body]).toEqual([413, tooLarge]);
});

it.each([
  [32, 200],
  [33, 400],
])('JSON of depth %d is answered with %d', async (depth, status) => {
  // The body and `context` are two levels already.
  const body = `{"userId":"u","event":"e","context":{"a":${'['.repeat(depth - 2)}${']'.repeat(depth - 2)}}}`;
  const answer = await send('track', { body });
  expect(answer.status).toBe(status);
  if (status === 400) expect(answer.body).toEqual(malformed);
});

it.each([
  ['a value', 'track', (deep: string) => `{"userId":"u","event":"e","properties":{"a":${deep}}}`],
  ['an unknown field', 'track', (deep: string) => `{"userId":"u","event":"e","x":${deep}}`],
  ['a refused item', 'trackBatch', (deep: string) => `{"list":[{"event":5,"properties":${deep}}]}`],
  ['an item of the wrong type', 'trackBatch', (deep: string) => `{"list":[${deep}]}`],
  ['a field that takes no object', 'track', (deep: string) => `{"userId":${deep},"event":"e"}`],
  ['a field next to the list', 'trackBatch', (deep: string) => `{"list":[{"userId":"u","event":"e"}],"x":${deep}}`],
])('%s nested too deeply makes the body malformed, with an Idempotency-Key too', async (_, endpoint, makeBody) => {
  const body = makeBody('[{"a":'.repeat(400) + '1' + '}]'.repeat(400));
  for (const headers of [{}, { 'idempotency-key': 'deep' }]) {
    const answer = await send(endpoint, { body, headers });
    expect([answer.status, answer.body]).toEqual([400, malformed]);
  }
});

it.each(['{"a":1}{', 'nul', '\ufeff{}', "{'a':1}", '{"a":1,}', '{"a":NaN}', '{"a":01}', '{"a":"\t"}', ' '])(
  '%j is malformed',
  async (body) => {
    const answer = await send('track', { body });
    expect([answer.status, answer.body]).toEqual([400, malformed]);
  },
);

it.each(['[]', '"text"', '5', 'null', 'true', `[${JSON.stringify(event)}]`])('%s is refused', async (body) => {
  for (const endpoint of ['track', 'identify', 'trackBatch', 'identifyBatch']) {
    const answer = await send(endpoint, { body });
    expect([answer.status, answer.body]).toEqual([400, [{ field: '', message: expect.any(String) as string }]]);
  }
});

it.each([
  ['a', 64, 200],
  ['a', 65, 400],
])('ids, events and property names of "%s" × %d are answered with %d', async (letter, length, status) => {
  const long = letter.repeat(length);
  const cases: [string, object][] = [
    ['userId', { ...event, userId: long }],
    ['anonymousId', { ...event, anonymousId: long }],
    ['event', { ...event, event: long }],
    [`properties.${long}`, { ...event, properties: { [long]: 1 } }],
    [`properties.a[0].${long}`, { ...event, properties: { a: [{ [long]: 1 }] } }],
  ];
  for (const [field, message] of cases) {
    const answer = await post('track', message);
    expect(answer.status).toBe(status);
    if (status === 400) expect(listFields(answer.body)).toEqual([field]);
  }
});

it('names every invalid field once', async () => {
  const { status, body } = await post('track', {
    userId: 'a b',
    event: 'no spaces',
    properties: [],
    context: 5,
    timestamp: 'x',
  });
  expect(status).toBe(400);
  expect(listFields(body).sort()).toEqual(['context', 'event', 'properties', 'timestamp', 'userId']);
  const names = await post('identify', { userId: 'u', traits: { 'two words': 1, ok: { é: 1 }, good: 1 } });
  expect([names.status, listFields(names.body)]).toEqual([400, ['traits.two words', 'traits.ok.é']]);
});

it.each([
  ['track', 'x'.repeat(4_097), true],
  ['trackBatch', '🌹'.repeat(4_097), true],
  ['trackBatch', '🌹'.repeat(4_096), false],
  ['track', 2 ** 53, false],
  ['track', 2 ** 53 + 2, true],
  ['track', -(2 ** 53), false],
  ['track', 1e300, true],
  ['track', 0.1, false],
  ['track', '\ud800', true],
  ['track', Array(256).fill(1), false],
  ['track', Array(257).fill(1), true],
  ['track', [[[[[[[1]]]]]]], false],
  ['track', [[[[[[[[1]]]]]]]], true],
])('a value out of range is dropped and named: %s %.20j (%s)', async (endpoint, value, isDropped) => {
  const message = { ...event, properties: { kept: 1, value } };
  const { status, body } = await post(endpoint, endpoint === 'track' ? message : { list: [message] });
  expect(status).toBe(200);
  const path = endpoint === 'track' ? 'properties.value' : 'list[0].properties.value';
  const droppedFields = listDropped(body);
  expect(droppedFields.length > 0).toBe(isDropped);
  for (const field of droppedFields) expect(field.startsWith(path)).toBe(true);
});

it('members beyond 256 are dropped and named', async () => {
  const properties = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`p${i}`, i]));
  const { status, body } = await post('track', { ...event, properties });
  expect(status).toBe(200);
  expect(listDropped(body)).toEqual(Array.from({ length: 44 }, (_, i) => `properties.p${i + 256}`));
});

it('1e400 and unknown fields are dropped, and the answer is 200', async () => {
  const { status, body } = await send('track', {
    body: '{"userId":"u","event":"e","properties":{"n":1e400},"user_id":"x","__proto__":{"event":5},"constructor":1}',
  });
  expect([status, listDropped(body)]).toEqual([200, ['properties.n', 'user_id', '__proto__', 'constructor']]);
});

const makeNames = (count: number, prefix: string): string =>
  Array.from({ length: count }, (_, i) => `"${prefix}${i}":1`).join(',');

it('a long body with a message of more than 8,192 members is refused', async () => {
  const makeBody = (members: number): string =>
    `{"list":[{"userId":"u","event":"e","properties":{${makeNames(members - 3, 'a-name-of-its-own-')}}}]}`;
  expect((await send('trackBatch', { body: makeBody(8_192) })).status).toBe(200);
  const { status, body } = await send('trackBatch', { body: makeBody(8_193) });
  expect([status, body]).toEqual([400, malformed]);
});

it('the answer stays small however much is dropped or refused', async () => {
  const row = `[${Array(256).fill('1e999').join(',')}]`;
  const rows = `[${Array(250).fill(row).join(',')}]`;
  const long = 'n'.repeat(4_000);
  const bodies = [
    `{"list":[{"userId":"u","event":"e","context":{"a":${rows},"b":${rows}}}]}`,
    `{"list":[{"userId":"u","event":"e","context":{"${long}":{"${long}":${rows}}}}]}`,
    `{"list":[{"userId":"u","event":"e","context":{"${'a.'.repeat(200_000)}a":1}}]}`,
    `{"list":[${Array(9)
      .fill(`{"userId":"u","event":"e",${makeNames(8_000, 'x')}}`)
      .join(',')}]}`,
  ];
  for (const body of bodies) {
    const answer = await send('trackBatch', { body });
    expect(answer.status).toBe(200);
    expect(listDropped(answer.body).length).toBeLessThanOrEqual(1_001);
    expect(JSON.stringify(answer.body).length).toBeLessThan(1_200_000);
  }
  const item = `{"userId":"u","event":"e","properties":{${makeNames(6_000, 'x ')}}}`;
  const refused = await send('trackBatch', { body: `{"list":[${Array(10).fill(item).join(',')}]}` });
  expect(refused.status).toBe(400);
  expect((refused.body as unknown[]).at(-1)).toEqual({ field: '', message: 'and 59000 more' });
});
