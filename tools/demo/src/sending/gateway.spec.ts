import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ShopCall } from '../call.js';
import { Gateway } from './gateway.js';
import { Tally } from './tally.js';

interface Received {
  at: number;
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

let server: Server;
let received: Received[];
/** Status and Retry-After of the next answers; all later answers are 200. */
let answers: [status: number, retryAfter?: string][];
let tally: Tally;
let gateway: Gateway;

beforeEach(async () => {
  [received, answers, tally] = [[], [], new Tally()];
  server = createServer((request, response) => {
    const { method, url, headers } = request;
    void text(request).then((body) => {
      received.push({ at: performance.now(), method, url, headers, body });
      const [status = 200, retryAfter] = answers.shift() ?? [];
      if (status === 0) return request.socket.destroy();
      return response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end('{}');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const stack = {
    pid: 0,
    gateway: { url: `http://127.0.0.1:${port}` },
    clickhouse: { url: '', database: '' },
    source: { sourceIdentifier: 'AbCdEf123456', apiKey: 'key' },
    pushTokenKeys: '',
  };
  gateway = new Gateway(stack, tally);
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const anEvent = { userId: 'u', event: 'page_view' };

it('sends one message alone and several as a batch, with the credentials of the source', async () => {
  await gateway.send({ api: 'track', list: [anEvent] });
  await gateway.send({ api: 'track', list: [anEvent, anEvent] });
  await gateway.send({ api: 'catalog', endpoint: 'general', entity: { id: '1' } });
  await gateway.send({ api: 'callback', endpoint: 'click', query: { token: 'a b', url: 'https://x/?y' } });
  await gateway.send({ api: 'ad', body: { sourceIdentifier: 'AbCdEf123456' } });

  expect(received.map(({ method, url, body, headers }) => [method, url, headers.authorization, body])).toEqual([
    ['POST', '/api/tracker/sdk/AbCdEf123456/track', 'Bearer key', JSON.stringify(anEvent)],
    ['POST', '/api/tracker/sdk/AbCdEf123456/trackBatch', 'Bearer key', JSON.stringify({ list: [anEvent, anEvent] })],
    ['POST', '/api/tracker/catalog/AbCdEf123456/general', 'Bearer key', '{"id":"1"}'],
    ['GET', '/api/tracker/general/click?token=a+b&url=https%3A%2F%2Fx%2F%3Fy', undefined, ''],
    ['POST', '/api/rtb/ad', undefined, '{"sourceIdentifier":"AbCdEf123456"}'],
  ]);
  expect(tally.sent).toMatchObject({ requests: 5, repeats: 0, messages: 6, events: 3, interactions: 1, adRequests: 1 });
});

it('waits for the Retry-After of a 503 and repeats the same request with the same Idempotency-Key', async () => {
  answers = [[503, '1'], [0]];
  const call: ShopCall = { api: 'track', list: [anEvent] };
  await gateway.send(call);
  await gateway.send(call);

  const [first, second, third, fourth] = received;
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990);
  const keys = [first, second, third].map((request) => request?.headers['idempotency-key']);
  expect(new Set(keys).size).toBe(1);
  expect(fourth?.headers['idempotency-key']).not.toBe(keys[0]);
  expect(tally.sent).toMatchObject({ requests: 2, repeats: 2, events: 2 });
});

it('gives up when the gateway refuses a request, and does not count it', async () => {
  answers = [[401]];
  await expect(gateway.send({ api: 'track', list: [anEvent] })).rejects.toThrow('refused /api/tracker/sdk');
  expect(received).toHaveLength(1);
  expect(tally.sent.messages).toBe(0);
});
