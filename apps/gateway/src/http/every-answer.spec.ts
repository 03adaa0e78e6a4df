import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { createKafka } from '@sluice/kafka';
import { Health, JsonLogger, readConfig, Registry } from '@sluice/service';
import { type Source } from '@sluice/sources';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { Credentials } from '../auth/credentials.js';
import { gatewayVariables } from '../config.js';
import { httpError } from '../errors/api-error.js';
import { SourceMetrics } from '../limits/source-metrics.js';
import { createGateway } from '../server.js';
import { Admission } from './turns/admission.js';
import { Edge } from './edge.js';
import { healthPath } from './connections/http-server.js';
import { type PipelinedRequest } from '../request/pipelined-request.js';
import { RequestTurns } from './turns/request-turns.js';
import { Routes } from './routes.js';

const source: Source = {
  sourceIdentifier: 'AAAAAAAAAAAA',
  name: 'a',
  type: 'web-sdk',
  status: 'enabled',
  createdAt: '',
  origins: ['https://shop.example'],
};
const withoutQuota = 'BBBBBBBBBBBB';
const key = 'Bearer good';
const host = 'Host: x\r\n';
const track = `/api/tracker/sdk/${source.sourceIdentifier}/track?validate=only`;
const chunked = 'Transfer-Encoding: chunked\r\n';
const json = 'Content-Type: application/json\r\n';
const event = '{"userId":"u","event":"e"}';

let app: NestFastifyApplication;
let server: Server;
beforeAll(async () => {
  vi.spyOn(Credentials.prototype, 'assert').mockImplementation((authorization, identifier) => {
    if (authorization !== key) throw httpError.authorizationFailed();
    const limits = identifier === withoutQuota ? { limits: { dailyQuota: 0 } } : {};
    return { ...source, sourceIdentifier: identifier, ...limits };
  });
  const settings = { KAFKA_BROKERS: '127.0.0.1:1', GATEWAY_DATA_DIR: mkdtempSync(join(tmpdir(), 'every-answer-')) };
  const config = readConfig(gatewayVariables, { ...settings, STOP_TIMEOUT_MS: '10', LOG_LEVEL: 'error' });
  const service = { config, health: new Health(), metrics: new Registry(), logger: new JsonLogger('test', 'error') };
  app = await createGateway({ ...service, stopping: new AbortController().signal }, createKafka(config, 'gateway'));
  await app.listen(0, '127.0.0.1');
  server = app.getHttpServer();
});
afterAll(async () => {
  await app.close();
}, 60_000);

const admitted = vi.spyOn(Admission.prototype, 'begin');
const refused = vi.spyOn(Edge.prototype, 'refuse');
const turns = vi.spyOn(RequestTurns.prototype, 'take');
beforeEach(() => {
  for (const spy of [admitted, refused, turns]) spy.mockClear();
});

const open = (): Promise<Socket> => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  return once(socket, 'connect').then(() => socket);
};

/** Statuses of the final answers to the bytes, until the connection is silent. */
async function statusesOf(bytes: string | Buffer, silenceMs = 150): Promise<number[]> {
  const socket = await open();
  let text = '';
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<void>((resolve) => {
    socket.on('close', resolve).on('data', (data) => {
      text += data.toString('latin1');
      clearTimeout(timer);
      timer = setTimeout(resolve, silenceMs);
    });
  });
  socket.write(bytes);
  await ended;
  socket.destroy();
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)).filter((one) => one >= 200);
}

/** Expects that each answer was admitted once and had a turn. Returns the statuses. */
async function expectAdmitted(bytes: string | Buffer, hasTurn = true): Promise<number[]> {
  const statuses = await statusesOf(bytes);
  expect(statuses.length).toBeGreaterThan(0);
  // A request whose connection broke was admitted; the error of the parser is its answer.
  const answered = admitted.mock.calls.filter(([{ req }]) => !(req as PipelinedRequest).isBroken);
  expect(answered.length + refused.mock.calls.length).toBe(statuses.length);
  if (hasTurn) expect(turns.mock.calls.length).toBeGreaterThanOrEqual(statuses.length);
  return statuses;
}

const post = (path: string, headers: string, body: string | Buffer, length = Buffer.byteLength(body)): Buffer => {
  const framing = headers.includes('Transfer-Encoding') ? '' : `Content-Length: ${length}\r\n`;
  return Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${host}${headers}${framing}\r\n`), Buffer.from(body)]);
};
const keyed = (body: string | Buffer, headers = json): Buffer =>
  post(track, `Authorization: ${key}\r\n${headers}`, body);

it('each route gives one answer, admitted and in its turn, also to a method that it does not have', async () => {
  const routes = app.get(Routes).list();
  expect(routes.length).toBeGreaterThan(15);
  for (const { method, path } of routes) {
    const url = path.replaceAll(/:\w+/g, 'x');
    for (const one of [method, 'OPTIONS', 'DELETE']) {
      for (const spy of [admitted, refused, turns]) spy.mockClear();
      const isFree = path === healthPath && one === 'GET';
      const statuses = await expectAdmitted(
        `${one} ${url} HTTP/1.1\r\n${host}Connection: close\r\n${json}Content-Length: 2\r\n\r\n{}`,
        !isFree,
      );
      expect(statuses, `${one} ${url}`).toHaveLength(1);
    }
  }
}, 60_000);

it.each([
  ['a path that does not exist', 404, `GET /nope HTTP/1.1\r\n${host}\r\n`],
  ['a path that does not exist, by HTTP/1.0', 404, 'GET /nope HTTP/1.0\r\n\r\n'],
  ['a whole URL', 404, `GET http://x/nope HTTP/1.1\r\n${host}\r\n`],
  ['HEAD', 405, `HEAD ${healthPath} HTTP/1.1\r\n${host}\r\n`],
  ['TRACE', 404, `TRACE / HTTP/1.1\r\n${host}\r\n`],
  ['a question about the whole server', 404, `OPTIONS * HTTP/1.1\r\n${host}\r\n`],
  ['a preflight outside of the API', 405, `OPTIONS /docs HTTP/1.1\r\n${host}\r\n`],
  [
    'a source without quota',
    429,
    post(track.replace(source.sourceIdentifier, withoutQuota), `Authorization: ${key}\r\n${json}`, event),
  ],
  ['a broken escape', 400, `GET /% HTTP/1.1\r\n${host}\r\n`],
  ['a broken escape with a body', 400, post('/api/%zz', json, '{}')],
  ['a broken escape in the source', 401, post('/api/tracker/sdk/%ff/track', json, '{}')],
  ['a preflight', 204, `OPTIONS /api/x HTTP/1.1\r\n${host}\r\n`],
  ['bytes that are not HTTP', 400, '\x16\x03\x01\r\n\r\n'],
  ['headers that are too large', 431, `GET / HTTP/1.1\r\n${host}x: ${'x'.repeat(20_000)}\r\n\r\n`],
  ['too many headers', 431, `GET /docs HTTP/1.1\r\n${host}${'a: b\r\n'.repeat(120)}\r\n`],
  ['no host', 400, 'GET /docs HTTP/1.1\r\n\r\n'],
  ['an unknown transfer coding', 400, post(track, 'Transfer-Encoding: xchunked\r\n', '1a\r\n')],
  ['a broken chunk', 400, keyed('zz\r\n', json + chunked)],
  ['CONNECT', 405, `CONNECT a:1 HTTP/1.1\r\n${host}\r\n`],
  ['an upgrade', 404, `GET /ws HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
  ['an unknown expectation', 417, keyed(event, `${json}Expect: x\r\n`)],
  ['an expectation', 200, keyed(event, `${json}Expect: 100-continue\r\n`)],
  ['a taken event', 200, keyed(event)],
  ['an invalid event', 400, keyed('{}')],
  ['a body that is not JSON', 400, keyed('{')],
  ['a wrong key', 401, post(track, `Authorization: Bearer bad\r\n${json}`, event)],
  ['a foreign origin', 403, keyed(event, `${json}Origin: https://other.example\r\n`)],
  ['a type that is not JSON', 415, keyed(event, 'Content-Type: text/plain\r\n')],
  ['a length over the limit', 413, post(track, `Authorization: ${key}\r\n${json}`, '', 9_000)],
  ['chunks over the limit', 413, keyed(`3000\r\n${'x'.repeat(0x3000)}\r\n0\r\n\r\n`, json + chunked)],
  ['a bomb', 413, keyed(gzipSync(Buffer.alloc(100_000)), `${json}Content-Encoding: gzip\r\n`)],
  ['bytes that do not inflate', 400, keyed('xxxx', `${json}Content-Encoding: gzip\r\n`)],
  ['a callback', 400, `GET /api/tracker/general/open?token=x HTTP/1.1\r\n${host}\r\n`],
  ['an ad request that is not JSON', 400, post('/api/rtb/ad', json, '{')],
] as const)('the answer to %s is %d, admitted and in its turn', async (_, status, bytes) => {
  expect(await expectAdmitted(bytes)).toEqual([status]);
});

it('a connection is kept when a body that was read is refused', async () => {
  const broken = keyed('xxxx', `${json}Content-Encoding: gzip\r\n`);
  const bomb = keyed(gzipSync(Buffer.alloc(100_000)), `${json}Content-Encoding: gzip\r\n`);
  expect(await expectAdmitted(Buffer.concat([broken, bomb, keyed(event)]))).toEqual([400, 413, 200]);
});

it('a refusal counts against a source only when the request had its key', async () => {
  const counted = vi.spyOn(SourceMetrics.prototype, 'countRefused');
  const [trackForGood = ''] = track.split('?');
  await statusesOf(post(trackForGood, `Authorization: Bearer bad\r\n${json}`, '{}'));
  // A trial of a body that is refused is not a refusal.
  await statusesOf(keyed('{}'));
  expect(counted).not.toHaveBeenCalled();
  await statusesOf(post(trackForGood, `Authorization: ${key}\r\n${json}`, '{}'));
  expect(counted.mock.calls).toEqual([[source.sourceIdentifier, 'invalid_fields']]);
});

it('each answer to pipelined requests, and the error after them, is admitted and in its turn', async () => {
  const requests = `GET /nope HTTP/1.1\r\n${host}\r\n`.repeat(5);
  expect(await expectAdmitted(`${requests}garbage\r\n\r\n`)).toEqual([404, 404, 404, 404, 404, 400]);
});

it.each([
  ['headers', 'GET / HTTP/1.1\r\nx: '],
  ['a body', post(track, `Authorization: ${key}\r\n${json}`, '{', 9)],
])('the answer to %s arriving too slowly is 408, once and in its turn', async (_, bytes) => {
  const socket = await open();
  socket.write(bytes);
  const [data] = (await once(socket, 'data')) as [Buffer];
  expect(data.toString()).toContain('HTTP/1.1 408 ');
  expect([refused.mock.calls.length, turns.mock.calls.length]).toEqual([1, 1]);
  socket.destroy();
});

it('health checks wait for a turn when there are more than a few per second', async () => {
  await sleep(1_000);
  // More than the free checks of two seconds: a slow machine may take two seconds to answer them.
  const checks = `GET ${healthPath} HTTP/1.1\r\n${host}\r\n`.repeat(15);
  await Promise.all(Array.from({ length: 4 }, () => statusesOf(checks, 300)));
  expect(turns.mock.calls.length).toBeGreaterThan(0);
});

it.each([
  '/nope',
  '/%',
  '/api/%zz',
  '/api/tracker/sdk/%ff/track',
  track,
  '/docs',
  healthPath,
  '/api/tracker/sdk/x/track',
])('little is read of an endless body for %s', async (path) => {
  for (const framing of [chunked, 'Content-Length: 4000000000\r\n']) {
    const [socket, [accepted]] = await Promise.all([open(), once(server, 'connection') as Promise<[Socket]>]);
    socket.resume().write(`POST ${path} HTTP/1.1\r\n${host}${json}${framing}\r\n`);
    const piece = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`);
    const closed = once(accepted, 'close');
    const more = (): void => {
      while (socket.writable && socket.write(piece));
    };
    socket.on('drain', more);
    more();
    await closed;
    expect(accepted.bytesRead).toBeLessThan(8_000_000);
    socket.destroy();
  }
});

it('the server listens to no other events of Node that need an answer', () => {
  const answering = [
    'request',
    'checkContinue',
    'checkExpectation',
    'clientError',
    'connect',
    'upgrade',
    'dropRequest',
  ];
  const known = [...answering.slice(0, -1), 'connection', 'listening', 'error', 'close'];
  expect(server.eventNames().filter((name) => !known.includes(String(name)))).toEqual([]);
  expect(answering.filter((name) => server.listenerCount(name) > 0)).toEqual(answering.slice(0, -1));
});
