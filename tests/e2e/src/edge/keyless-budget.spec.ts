import { eventually } from '@sluice/testing';
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.js';
import { aNotification } from '../notification.js';
import { exchange, connectToGateway, rawPost } from '../raw-http.js';
import { local } from '../stack.js';
import { unsupportedMediaType } from './edge-request.js';

const event = JSON.stringify({ userId: 'u', event: 'e' });
const places = 3;
const oldKey = `old:${randomBytes(32).toString('base64url')}`;

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    KEYLESS_MAX_REQUESTS_IN_WORK: String(places),
    // The ring after a rotation: the gateway opens tokens of both keys.
    PUSH_TOKEN_KEYS: `${local().pushTokenKeys},${oldKey}`,
  });
});
afterAll(() => gateway.stop());

const track = async () => (await exchange(rawPost('track', event), { url: gateway.url }))[0]?.status;
const callback = async (token: string): Promise<number> => {
  const response = await fetch(`${gateway.url}/api/tracker/general/delivered?token=${token}`);
  await response.text();
  return response.status;
};

/** An ad request whose body never ends. */
async function unfinished() {
  const socket = await connectToGateway(gateway.url);
  const headers = 'host: a\r\ncontent-type: application/json\r\ncontent-length: 500';
  socket.write(`POST /api/rtb/ad HTTP/1.1\r\n${headers}\r\n\r\n{"a"`);
  return socket;
}

it('a route without a key closes the connection', async () => {
  const { token } = await aNotification();
  const { headers } = await fetch(`${gateway.url}/api/tracker/general/delivered?token=${token}`);
  expect(headers.get('connection')).toBe('close');
});

it('routes without a key use up only their own places', async () => {
  const { token } = await aNotification();
  const [callbacks, tracked] = await Promise.all([
    Promise.all(Array.from({ length: 200 }, () => callback(token))),
    Promise.all(Array.from({ length: 50 }, track)),
  ]);
  expect(new Set(callbacks)).toEqual(new Set([200, 503]));
  expect(tracked).toEqual(Array(50).fill(200));
  await eventually(async () => {
    expect(await callback(token)).toBe(200);
  });
});

it('ad requests whose bodies never come hold no place', async () => {
  const { token } = await aNotification();
  const sockets = await Promise.all(Array.from({ length: 4 * places }, unfinished));
  expect(await callback(token)).toBe(200);
  for (const socket of sockets) socket.destroy();
});

it('a compressed ad request is refused, because its size does not show its cost', async () => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const response = await fetch(`${gateway.url}/api/rtb/ad`, { method: 'POST', headers, body: gzipSync('{}') });
  expect([response.status, await response.json()]).toEqual([415, unsupportedMediaType]);
});

it('opens tokens of a rotated-out key, and never those of an unknown key', async () => {
  const [old, unknown] = await Promise.all([
    aNotification({}, oldKey),
    aNotification({}, `old:${randomBytes(32).toString('base64url')}`),
  ]);
  expect([await callback(old.token), await callback(unknown.token)]).toEqual([200, 400]);
});

it('routes without a key have their own rate limit, which does not limit sources', async () => {
  const limited = await startGatewayProcess({
    KEYLESS_RATE_LIMIT_PER_SECOND: '1',
    PUSH_TOKEN_KEYS: local().pushTokenKeys,
  });
  try {
    const url = `${limited.url}/api/tracker/general/open?token=x`;
    const answers = await Promise.all(Array.from({ length: 10 }, () => fetch(url)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
    const tracked = await Promise.all(
      Array.from({ length: 10 }, () => exchange(rawPost('track', event), { url: limited.url })),
    );
    expect(tracked.map(([answer]) => answer?.status)).toEqual(Array(10).fill(200));
  } finally {
    await limited.stop();
  }
});
