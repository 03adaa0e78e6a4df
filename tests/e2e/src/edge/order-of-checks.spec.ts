import { expect, it } from 'vitest';
import { local, type SourceCredentials } from '../stack.js';
import {
  authorizationFailed,
  malformed,
  send,
  sourceNotFound,
  text,
  tooLarge,
  unsupportedMediaType,
} from './edge-request.js';

const big = 'x'.repeat(9_000);
const unknown = (): SourceCredentials => ({ ...local().source, sourceIdentifier: 'unknown00000' });
const wrongKey = (): SourceCredentials => ({ ...local().source, apiKey: 'wrong' });

// Each request breaks the rule in its name and every rule checked later.
it.each([
  [
    'no key',
    401,
    authorizationFailed,
    () => send('track', { source: unknown(), body: big, headers: { authorization: '', 'content-type': 'text/plain' } }),
  ],
  [
    'unknown source',
    404,
    sourceNotFound,
    () => send('track', { source: unknown(), body: big, headers: { 'content-type': 'text/plain' } }),
  ],
  [
    'wrong key',
    401,
    authorizationFailed,
    () => send('track', { source: wrongKey(), body: big, headers: { 'content-type': 'text/plain' } }),
  ],
  ['too large', 413, tooLarge, () => send('track', { body: big, headers: { 'content-type': 'text/plain' } })],
  [
    'content type',
    415,
    unsupportedMediaType,
    () => send('track', { body: '{', headers: { 'content-type': 'text/plain' } }),
  ],
  ['malformed', 400, malformed, () => send('track', { body: '{' })],
] as const)('%s is checked before later rules', async (_, status, body, request) => {
  const answer = await request();
  expect([answer.status, answer.body]).toEqual([status, body]);
});

it.each(['track', 'identify', 'trackBatch', 'identifyBatch'])(
  '%s checks credentials and the source',
  async (endpoint) => {
    const noKey = await send(endpoint, { headers: { authorization: '' } });
    expect([noKey.status, noKey.body]).toEqual([401, authorizationFailed]);
    const noSource = await send(endpoint, { source: unknown() });
    expect([noSource.status, noSource.body]).toEqual([404, sourceNotFound]);
  },
);

it.each(['bearer', 'BEARER', 'Bearer '])('accepts the scheme "%s"', async (scheme) => {
  const { status } = await send('track', { headers: { authorization: `${scheme} ${local().source.apiKey}` } });
  expect(status).toBe(200);
});

it.each([
  ['/api/tracker/sdk/track', 404, 'error.sdk.source.notFound'],
  ['/api/tracker/sdk//track', 404, 'error.sdk.source.notFound'],
  ['/api/tracker/sdk/%00/track', 404, 'error.sdk.source.notFound'],
  ['/api/tracker/sdk/%zz/track', 404, 'error.sdk.source.notFound'],
  ['/api/tracker/sdk/a%2Fb/track', 404, 'error.sdk.source.notFound'],
  [`/api/tracker/sdk/${'x'.repeat(12_000)}/track`, 404, 'error.sdk.source.notFound'],
  ['/api/tracker/sdk/SOURCE/track/', 404, 'error.request.notFound'],
  ['/api/tracker/sdk/SOURCE/Track', 404, 'error.request.notFound'],
  ['//api/tracker/sdk/SOURCE/track', 404, 'error.request.notFound'],
  ['/API/tracker/sdk/SOURCE/track', 404, 'error.request.notFound'],
  ['/api/tracker/sdk/SOURCE', 404, 'error.request.notFound'],
  ['/%zz', 400, 'error.request.malformed'],
])('answers %.60s with %d %s', async (path, status, message) => {
  const { sourceIdentifier, apiKey } = local().source;
  const response = await fetch(local().gateway.url + path.replace('SOURCE', sourceIdentifier), {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: text,
  });
  expect([response.status, await response.json()]).toEqual([status, [{ field: '', message }]]);
});
