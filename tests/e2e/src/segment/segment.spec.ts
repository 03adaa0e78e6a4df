import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { eventually } from '@sluice/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { local, operator, post, select } from '../stack.js';
import { createSegmentSource, postSegment, type SegmentSource } from './write-key.js';

let source: SegmentSource;
beforeAll(async () => {
  source = await createSegmentSource();
});

const send = (endpoint: string, body: unknown, more: Omit<Parameters<typeof postSegment>[2], 'source'> = {}) =>
  postSegment(endpoint, body, { source, ...more });
const track = (more: object = {}) => ({ type: 'track', event: 'Order Completed', userId: 'u 1', ...more });
const accepted = { success: true };

/** The JSON of a `GET` with a `Host` of its own, which fetch does not send. */
const rawRequest = (path: string, headers: Record<string, string>): Promise<unknown> =>
  new Promise((resolve, reject) => {
    request(local().gateway.url + path, { headers }, (answer) => resolve(json(answer)))
      .on('error', reject)
      .end();
  });

/** Rows of a user, each once, when there are any. */
const untilRows = (userId: string, table = 'events', columns = 'event, properties') =>
  eventually(async () => {
    const query = `SELECT ${columns} FROM ${table} FINAL WHERE source_id = {source:String} AND user_id = {userId:String}`;
    const rows = await select(query, { source: source.sourceIdentifier, userId });
    expect(rows).not.toEqual([]);
    return rows;
  });

describe('where the key may be, and which content type a body may have', () => {
  it.each([
    ['Basic, JSON', {}],
    ['Basic, text/plain as in browsers', { headers: { 'content-type': 'text/plain' } }],
    ['Basic, a form as rudder-sdk-node', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ['the path', { inPath: true }],
  ])('%s', async (_, options) => {
    const userId = randomUUID();
    const { status, body } = await send('batch', { batch: [track({ userId })] }, options);
    expect([status, body]).toEqual([200, accepted]);
    expect(await untilRows(userId)).toEqual([{ event: 'Order Completed', properties: {} }]);
  });

  it('gzip, within the bound of a body', async () => {
    const userId = randomUUID();
    const headers = { 'content-encoding': 'gzip', 'content-type': 'text/plain' };
    expect((await send('b', gzipSync(JSON.stringify({ batch: [track({ userId })] })), { headers })).body).toEqual(
      accepted,
    );
    expect(await untilRows(userId)).toHaveLength(1);
    const bomb = gzipSync(JSON.stringify({ batch: [], x: 'x'.repeat(600_000) }));
    expect((await send('b', bomb, { headers })).status).toBe(413);
  });
});

it.each(['batch', 'import', 'b'])('takes 2,500 items as %s, and refuses one more as a whole', async (endpoint) => {
  const batch = Array.from({ length: 2_500 }, () => ({ type: 'track', event: 'e', userId: 'u' }));
  expect((await send(`${endpoint}?validate=only`, { batch })).body).toEqual(accepted);
  const { status, body } = await send(`${endpoint}?validate=only`, { batch: [...batch, {}] });
  expect([status, body]).toEqual([
    400,
    { code: 'invalid_fields', message: 'batch: must be an array of at most 2500 items' },
  ]);
});

it.each([
  [
    'track',
    't',
    'events',
    { event: 'Signed Up', properties: { plan: 'pro' } },
    { event: 'Signed Up', properties: { plan: 'pro' } },
  ],
  ['page', 'p', 'events', { name: 'Home' }, { event: 'page', properties: { name: 'Home' } }],
  ['screen', 's', 'events', { name: 'Cart' }, { event: 'screen', properties: { name: 'Cart' } }],
  ['group', 'g', 'events', { groupId: 'g' }, { event: 'group', properties: { groupId: 'g' } }],
])('takes %s and %s, without a type', async (long, short, table, message, row) => {
  for (const endpoint of [long, short]) {
    const userId = randomUUID();
    expect((await send(endpoint, { ...message, userId })).body).toEqual(accepted);
    expect(await untilRows(userId, table)).toEqual([row]);
  }
});

it('takes a path that ends with a slash, as analytics-java has it', async () => {
  expect((await send('import/?validate=only', { batch: [] })).body).toEqual(accepted);
});

it('takes identify and alias, which ties an anonymous id to a user', async () => {
  const userId = randomUUID();
  await send('i', { userId, traits: { plan: 'pro' } });
  await send('a', { userId, previousId: 'a-0' });
  await eventually(async () =>
    expect(await untilRows(userId, 'identifies', 'anonymous_id, traits')).toEqual(
      expect.arrayContaining([
        { anonymous_id: '', traits: { plan: 'pro' } },
        { anonymous_id: 'a-0', traits: {} },
      ]),
    ),
  );
});

it('stores a message once when it is sent again in another batch, with or without the header of a retry', async () => {
  const userId = randomUUID();
  const item = track({ userId, messageId: randomUUID(), timestamp: '2026-11-25T10:00:00.000Z' });
  await send('batch', { batch: [item], sentAt: '2026-11-25T10:00:01.000Z' });
  await send('batch', { batch: [track({ userId: 'other' }), item], sentAt: '2026-11-25T10:00:09.000Z' });
  await send('batch', { batch: [item] }, { headers: { 'x-retry-count': '1' } });
  await eventually(async () => {
    const query = 'SELECT count() AS n, uniqExact(message_id) AS ids FROM events FINAL WHERE user_id = {userId:String}';
    expect(await select(query, { userId })).toEqual([{ n: 1, ids: 1 }]);
  });
});

it('stores the user agent that the context says', async () => {
  const userId = randomUUID();
  await send('t', track({ userId, context: { userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' } }));
  expect(await untilRows(userId, 'events', 'user_agent')).toEqual([{ user_agent: 'Mozilla/5.0 (X11; Linux x86_64)' }]);
});

it('stores 249 of 250 items, and keeps the refused one whole', async () => {
  const userId = randomUUID();
  const bad = { type: 'track', userId, messageId: 'bad', properties: { total: 1 } };
  const batch = Array.from({ length: 250 }, (_, i) => (i === 7 ? bad : track({ userId, messageId: `m-${i}` })));
  const { status, body } = await send('batch', { batch, context: { library: { name: 'go' } } });
  expect([status, body]).toMatchObject([200, { success: true, rejected: [{ field: 'batch[7].event' }] }]);
  await eventually(async () => {
    const n = await select('SELECT count() AS n FROM events FINAL WHERE user_id = {userId:String}', { userId });
    expect(n).toEqual([{ n: 249 }]);
  });
  const refusedRows = await untilRows(userId, 'refused_messages', 'kind, reason, body');
  expect(refusedRows).toMatchObject([{ kind: 'segment', reason: 'invalid_fields' }]);
  expect(JSON.parse(String(refusedRows[0]?.['body']))).toEqual({ ...bad, context: { library: { name: 'go' } } });
});

it('keeps a refused item once, in whichever batch it is tried', async () => {
  const userId = randomUUID();
  const bad = (messageId: string) => ({ type: 'delete', userId, messageId });
  for (const batch of [[bad('one')], [track({ userId }), bad('one')], [bad('two')]]) await send('batch', { batch });
  await eventually(async () => {
    const query = 'SELECT body FROM refused_messages FINAL WHERE user_id = {userId:String} ORDER BY body';
    const refusedRows = await select<{ body: string }>(query, { userId });
    expect(refusedRows.map(({ body }) => (JSON.parse(body) as { messageId: string }).messageId)).toEqual([
      'one',
      'two',
    ]);
  });
});

it('answers 200 when every item is refused, because clients would send the batch again', async () => {
  expect(await send('batch', { batch: [{ type: 'track' }, 7] })).toMatchObject({
    status: 200,
    body: {
      success: true,
      rejected: [{ field: 'batch[0].event' }, {}, { field: 'batch[1]', message: 'must be an object' }],
    },
  });
});

describe('errors are an object', () => {
  it.each([
    ['no JSON', '{', 400, 'error.request.malformed'],
    ['no object', '[]', 400, 'invalid_fields'],
    ['no batch', '{}', 400, 'invalid_fields'],
  ])('%s', async (_, body, status, code) =>
    expect(await send('batch', body)).toMatchObject({ status, body: { code, message: expect.any(String) as string } }),
  );

  it('a wrong key', async () => {
    const stranger = { ...source, writeKey: `${source.sourceIdentifier}_x` };
    for (const inPath of [true, false])
      expect(await postSegment('batch', { batch: [] }, { source: stranger, inPath })).toMatchObject({
        status: 401,
        body: { code: 'error.sdk.authorization.failed' },
      });
  });

  it('a source that does not take clients of Segment', async () => {
    const { source: demo } = local();
    const otherSource = { ...demo, writeKey: `${demo.sourceIdentifier}_${demo.apiKey}` };
    const answer = { status: 403, body: { code: 'error.sdk.source.forbidden' } };
    expect(await postSegment('batch', { batch: [] }, { source: otherSource })).toMatchObject(answer);
  });
});

it('is switched off and on for a source', async () => {
  const ownSource = await createSegmentSource('web-sdk');
  const status = async () => (await postSegment('batch', { batch: [] }, { source: ownSource })).status;
  await operator('sources', 'segment', ownSource.sourceIdentifier, 'off');
  await eventually(async () => expect(await status()).toBe(403));
  await operator('sources', 'segment', ownSource.sourceIdentifier, 'on');
  await eventually(async () => expect(await status()).toBe(200));
});

it('does not take its write key on the native routes', async () => {
  const { status } = await post(
    'track',
    { event: 'e', userId: 'u' },
    { source: { ...source, apiKey: source.writeKey } },
  );
  expect(status).toBe(401);
});

it('gives browsers and apps settings that name this gateway, the same for every key', async () => {
  const { url } = local().gateway;
  for (const path of [`/v1/projects/${source.writeKey}/settings`, `/projects/${source.writeKey}/settings`]) {
    const response = await fetch(url + path);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const apiHost = `${new URL(url).host}/s/${source.writeKey}/v1`;
    expect(await response.json()).toMatchObject({
      integrations: { 'Segment.io': { apiKey: source.writeKey, apiHost, protocol: 'http' } },
    });
  }
});

it('names no protocol in the settings where a proxy may add TLS', async () => {
  const settings = async (headers: Record<string, string>): Promise<unknown> => {
    const answer = await rawRequest(`/v1/projects/${source.writeKey}/settings`, headers);
    return (answer as { integrations: Record<string, { protocol?: string }> }).integrations['Segment.io']?.protocol;
  };
  expect(await settings({ host: 'events.example' })).toBeUndefined();
  expect(await settings({ host: 'localhost:80', 'x-forwarded-proto': 'https' })).toBeUndefined();
  expect(await settings({ host: 'events.example', 'x-forwarded-proto': 'http' })).toBe('http');
});

it('gives clients of RudderStack a source without destinations, with a preflight', async () => {
  const url = `${local().gateway.url}/sourceConfig/?writeKey=${source.writeKey}&v=3.34.1`;
  const preflight = await fetch(url, { method: 'OPTIONS' });
  expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
    204,
    expect.stringContaining('Authorization'),
  ]);
  const response = await fetch(url, { headers: { authorization: `Basic ${btoa(`${source.writeKey}:`)}` } });
  expect(await response.json()).toMatchObject({
    source: { enabled: true, writeKey: source.writeKey, destinations: [] },
  });
});

it('answers preflights of its paths', async () => {
  const response = await fetch(`${local().gateway.url}/v1/t`, { method: 'OPTIONS' });
  expect([response.status, response.headers.get('access-control-allow-methods')]).toEqual([204, 'GET, POST']);
});
