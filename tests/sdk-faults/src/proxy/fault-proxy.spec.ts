import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Fault, faults } from './fault.js';
import { FaultProxy } from './fault-proxy.js';
import { faultsBySeed } from './faults-by-seed.js';

/** A service that keeps whole requests, and counts torn ones. */
let service: Server;
let proxy: FaultProxy;
let stored: string[];
let torn: number;

beforeEach(async () => {
  [stored, torn] = [[], 0];
  service = createServer((request, answer) => {
    text(request).then(
      (body) => {
        stored.push(
          `${request.method ?? ''} ${request.url ?? ''} ${String(request.headers['idempotency-key'])} ${body}`,
        );
        answer.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'r-1' });
        answer.end('{"status":"QUEUED"}');
      },
      () => (torn += 1),
    );
  });
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  proxy = await FaultProxy.start(`http://127.0.0.1:${(service.address() as AddressInfo).port}`);
});
afterEach(async () => {
  await proxy.stop();
  service.close();
  service.closeAllConnections();
});

const body = JSON.stringify({ list: ['x'.repeat(2_000)] });
const send = (signal?: AbortSignal): Promise<Response> =>
  fetch(`${proxy.url}/api/track?a=1`, {
    method: 'POST',
    headers: { 'idempotency-key': 'k-1' },
    body,
    redirect: 'error',
    ...(signal && { signal }),
  });
/** The text of the answer that the client got, or the fact that there was none. */
const outcome = async (): Promise<string> => {
  try {
    return await (await send()).text();
  } catch {
    return 'no answer';
  }
};
const request = `POST /api/track?a=1 k-1 ${body}`;

it('forwards a request and its answer as they are', async () => {
  const answer = await send();
  expect([answer.status, answer.headers.get('x-request-id'), await answer.text()]).toEqual([
    200,
    'r-1',
    '{"status":"QUEUED"}',
  ]);
  expect(stored).toEqual([request]);
});

it.each([
  ['cutBefore', 0],
  ['resetBefore', 0],
  ['cutMidRequest', 0],
  ['cutAfter', 1],
  ['resetAfter', 1],
  ['cutMidAnswer', 1],
  ['portalRedirect', 0],
] as const)('%s: no answer, and %d requests arrive whole', async (name, arrived) => {
  proxy.next(faults[name]);
  expect(await outcome()).toBe('no answer');
  expect(stored).toHaveLength(arrived);
  expect(await outcome()).toBe('{"status":"QUEUED"}');
});

it('a request that is cut in the middle reaches the service as a torn one', async () => {
  proxy.next(faults.cutMidRequest);
  expect(await outcome()).toBe('no answer');
  await expect.poll(() => torn).toBe(1);
});

it.each([
  [false, 0],
  [true, 1],
])('silence that forwards (%s) answers nothing until the client gives up', async (isForwarded, arrived) => {
  proxy.next({ kind: 'silence', isForwarded });
  await expect(send(AbortSignal.timeout(200))).rejects.toThrow();
  await expect.poll(() => stored.length).toBe(arrived);
});

describe('an answer of the proxy', () => {
  it.each([
    ['429', faults.rateLimited(7), '7', true],
    ['503', faults.unavailable(3), '3', true],
    ['401', faults.unauthorized, null, true],
    ['413', faults.tooLarge, null, true],
    ['413', faults.foreignTooLarge, null, false],
    ['502', faults.badGateway, null, false],
  ] as const)(
    '%s is readable by pages only where the service would give it',
    async (status, fault, wait, isReadable) => {
      proxy.next(fault);
      const answer = await send();
      await answer.text();
      expect([String(answer.status), answer.headers.get('retry-after')]).toEqual([status, wait]);
      expect(answer.headers.get('access-control-allow-origin')).toBe(isReadable ? '*' : null);
      expect(stored).toEqual([]);
    },
  );

  it('may hide that the service stored the request', async () => {
    proxy.next(faults.gatewayTimeout);
    expect((await send()).status).toBe(504);
    expect(stored).toEqual([request]);
  });

  it('a portal answers 200 with a page', async () => {
    proxy.next(faults.portal);
    expect(await outcome()).toContain('<!doctype html>');
    expect(stored).toEqual([]);
  });
});

it('preflights pass whatever is chosen, and take no turn of the queue', async () => {
  proxy.next(faults.resetBefore);
  proxy.choose = () => faults.badGateway;
  expect((await fetch(`${proxy.url}/api/x`, { method: 'OPTIONS' })).status).toBe(200);
  expect(await outcome()).toBe('no answer');
  expect(await outcome()).toContain('<!doctype html>');
});

it('faults come by their shares, and the same seed chooses the same', () => {
  const draw = (seed: number): [Fault['kind'][], Map<string, number>] => {
    const counts = new Map<string, number>();
    const choose = faultsBySeed(seed, { cutAfter: 10, rateLimited: 20 }, (name) => {
      counts.set(name, (counts.get(name) ?? 0) + 1);
    });
    return [Array.from({ length: 5_000 }, () => choose().kind), counts];
  };
  const [kinds, counts] = draw(7);
  expect(draw(7)).toEqual([kinds, counts]);
  expect(draw(8)[0]).not.toEqual(kinds);
  expect((counts.get('cutAfter') ?? 0) / 5_000).toBeCloseTo(0.1, 1);
  expect((counts.get('rateLimited') ?? 0) / 5_000).toBeCloseTo(0.2, 1);
  expect(kinds.filter((kind) => kind !== 'none')).toHaveLength(
    (counts.get('cutAfter') ?? 0) + (counts.get('rateLimited') ?? 0),
  );
});
