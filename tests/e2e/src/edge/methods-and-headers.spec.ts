import { expect, it } from 'vitest';
import { local } from '../stack.js';
import { exchange } from '../raw-http.js';
import { expectFixedHeaders, makeProblems, send } from './edge-request.js';

it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'])(
  'answers %s with 405 and the allowed methods',
  async (method) => {
    const path = `/api/tracker/sdk/${local().source.sourceIdentifier}/track`;
    const [answer] = await exchange(`${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'POST, OPTIONS' } });
    expect(JSON.parse(answer?.body ?? '')).toEqual(makeProblems('error.request.methodNotAllowed'));
  },
);

it.each([
  ['/api/tracker/sdk/x/track', 'POST, OPTIONS'],
  ['/health/ready', 'GET'],
])('answers HEAD %s with 405', async (path, allowed) => {
  const response = await fetch(local().gateway.url + path, { method: 'HEAD' });
  expect([response.status, response.headers.get('allow'), await response.text()]).toEqual([405, allowed, '']);
});

it.each(['/api/tracker/sdk/unknown00000/track', '/api/nothing/here', '/api/tracker/sdk//track'])(
  'answers a preflight for %s without credentials',
  async (path) => {
    const response = await fetch(local().gateway.url + path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://shop.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers':
          'authorization,content-type,content-encoding,idempotency-key,prefer,traceparent',
      },
    });
    expect(response.status).toBe(204);
    const headers = Object.fromEntries(response.headers);
    expectFixedHeaders(headers);
    expect(headers['access-control-allow-methods']).toContain('POST');
    const allowed = headers['access-control-allow-headers']?.toLowerCase().split(', ');
    for (const name of [
      'authorization',
      'content-type',
      'content-encoding',
      'idempotency-key',
      'prefer',
      'traceparent',
    ])
      expect(allowed).toContain(name);
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  },
);

it.each([
  [200, () => send('track')],
  [400, () => send('track', { body: '{' })],
  [401, () => send('track', { headers: { authorization: '' } })],
  [404, () => send('nothing')],
  [405, () => send('track', { method: 'GET' })],
  [413, () => send('track', { body: 'x'.repeat(9_000) })],
  [415, () => send('track', { headers: { 'content-type': 'text/plain' } })],
] as const)('every %d answer has a request id, CORS headers and security headers', async (status, request) => {
  const answer = await request();
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expectFixedHeaders(Object.fromEntries(answer.headers));
});

it('serves the API, its documentation, readiness and nothing else', async () => {
  const readStatus = async (path: string) => {
    const answer = await fetch(local().gateway.url + path);
    // fetch fails if the connection ends before the body is read.
    await answer.arrayBuffer();
    return answer.status;
  };
  for (const path of [
    '/openapi.json',
    '/docs',
    '/docs/',
    '/docs/swagger-ui-bundle.js',
    '/docs/swagger-ui.css',
    '/health/ready',
  ])
    expect([path, await readStatus(path)]).toEqual([path, 200]);
  for (const path of ['/', '/metrics', '/health/live', '/favicon.ico', '/docs/../package.json'])
    expect([path, await readStatus(path)]).toEqual([path, 404]);
});

it.each(['/docs', '/docs/swagger-ui-bundle.js'])('%s can run its own scripts', async (path) => {
  const answer = await fetch(local().gateway.url + path);
  await answer.arrayBuffer();
  const { headers } = answer;
  expect(headers.get('content-security-policy')).toContain("script-src 'self'");
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});
