import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingHttpHeaders, type IncomingMessage, request as send } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { fastify as createFastify, type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../errors/api-error.js';
import { createHttpServer } from '../http/connections/http-server.js';
import { type Bundle, readBundle } from './bundle.js';
import { ReadingPlaces } from '../http/reading/reading-places.js';
import { serveBundle } from './serve-bundle.js';
import { writeBundle } from './write-bundle.spec-support.js';

const script = `"use strict";${'function sluice(){return 1}'.repeat(200)}`;
let folder: string;
let hashed: string;
const servers: FastifyInstance[] = [];

/** Starts a server with nothing but the bundle. Resolves with its port. */
async function serve(bundle: Bundle | undefined): Promise<number> {
  const nothing = (): void => undefined;
  const fastify = createFastify({
    exposeHeadRoutes: false,
    serverFactory: (handle) =>
      createHttpServer({
        serve: handle,
        onBeforeServe: nothing,
        onRefusalTurn: nothing,
        onConnection: nothing,
        maxConnections: 100,
      }),
  });
  fastify.setErrorHandler((error, _request, reply) =>
    error instanceof ApiError ? reply.code(error.status).send(error.problems) : reply.send(error),
  );
  serveBundle(bundle, fastify);
  servers.push(fastify);
  await fastify.listen({ port: 0, host: '127.0.0.1' });
  return (fastify.server.address() as AddressInfo).port;
}

let port: number;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bundle-'));
  const { files } = await writeBundle(folder, '1.2.3', { 'sluice.js': script });
  hashed = `/sdk/${files['sluice.js']?.file ?? ''}`;
  port = await serve(await readBundle(folder));
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await rm(folder, { recursive: true });
});

interface Got {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

async function get(path: string, headers: Record<string, string> = {}, method = 'GET', at = port): Promise<Got> {
  const request = send({ host: '127.0.0.1', port: at, path, headers, method, agent: false });
  request.end();
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, bytes: await buffer(answer) };
}

const identity = (bytes: Buffer): Buffer => bytes;

describe('a file of the bundle', () => {
  it.each([
    [undefined, '', identity],
    ['br', 'gzip, deflate, br', brotliDecompressSync],
    ['gzip', 'gzip, deflate', gunzipSync],
    [undefined, 'gzip;q=0, identity', identity],
  ])('comes as %s to a client that accepts %j', async (encoding, accepted, decode) => {
    const { status, headers, bytes } = await get(hashed, { 'accept-encoding': accepted });
    expect([status, headers['content-encoding'], headers.vary]).toEqual([200, encoding, 'Accept-Encoding']);
    expect(headers['content-length']).toBe(String(bytes.length));
    expect(decode(bytes).toString()).toBe(script);
  });

  it('by its hash may be kept for ever, by its version for minutes; any page and worker may use it', async () => {
    const [forever, shortly] = [await get(hashed), await get('/sdk/1/sluice.js')];
    expect(forever.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(shortly.headers['cache-control']).toContain('public, max-age=300');
    expect(shortly.bytes.equals(forever.bytes)).toBe(true);
    for (const { headers } of [forever, shortly])
      expect(headers).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
        'content-security-policy': 'default-src * data:',
        'service-worker-allowed': '/',
      });
  });

  it('is answered 304 to a client that has it, each encoding under a tag of its own', async () => {
    const tags = await Promise.all(
      ['br', 'gzip', 'x'].map(async (accepted) => (await get(hashed, { 'accept-encoding': accepted })).headers.etag),
    );
    expect(new Set(tags).size).toBe(3);
    const [br = ''] = tags;
    for (const known of [br, `W/${br}`, `"other", ${br}`]) {
      const { status, bytes } = await get(hashed, { 'accept-encoding': 'br', 'if-none-match': known });
      expect([status, bytes.length]).toEqual([304, 0]);
    }
    expect((await get(hashed, { 'accept-encoding': 'gzip', 'if-none-match': br })).status).toBe(200);
  });

  it('has a HEAD with the headers of its GET', async () => {
    const [head, whole] = [await get(hashed, {}, 'HEAD'), await get(hashed)];
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(head.headers['content-length']).toBe(String(script.length));
    expect(head.headers.etag).toBe(whole.headers.etag);
  });
});

it('publishes the manifest with its integrity hashes, for any page', async () => {
  const { headers, bytes } = await get('/sdk/manifest.json');
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(headers['access-control-allow-origin']).toBe('*');
  expect(JSON.parse(bytes.toString())).toMatchObject({
    version: '1.2.3',
    files: { 'sluice.js': { bytes: script.length } },
  });
});

it.each(['/sdk/sluice.js', '/sdk/2/sluice.js', '/sdk/1/constructor', '/sdk/__proto__', '/sdk/..%2fpackage.json'])(
  'has no %s',
  async (path) => {
    const { status, bytes } = await get(path);
    expect([status, JSON.parse(bytes.toString())]).toEqual([404, [{ field: '', message: 'error.request.notFound' }]]);
  },
);

it('says that no bundle was built', async () => {
  const { status, bytes } = await get('/sdk/1/sluice.js', {}, 'GET', await serve(undefined));
  const problems: unknown = JSON.parse(bytes.toString());
  expect([status, problems]).toEqual([404, [{ field: '', message: 'error.sdk.bundle.notBuilt' }]]);
});

it('sends one file to a connection, however many it asks for, and then ends it', async () => {
  const client = connect(port, '127.0.0.1');
  client.write(`GET ${hashed} HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(100));
  const received = await buffer(client);
  expect(received.toString().split('HTTP/1.1 200').length - 1).toBe(1);
  expect(received.length).toBeLessThan(2 * script.length);
});

it('a connection that had time to read gives way to a later one, and no other does', async () => {
  const connected = await serve(undefined);
  const open = async (): Promise<Socket> => {
    const socket = connect(connected, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  const [first, second, third] = [await open(), await open(), await open()];
  const patient = new ReadingPlaces(2, 60_000);
  expect([first, second, second, third].map((socket) => patient.take(socket))).toEqual([true, true, true, false]);
  expect([first.destroyed, third.destroyed, patient.size]).toEqual([false, false, 2]);

  const places = new ReadingPlaces(2, 0);
  expect([first, second, third].map((socket) => places.take(socket))).toEqual([true, true, true]);
  expect([first.destroyed, second.destroyed, third.destroyed, places.size]).toEqual([true, false, false, 2]);
  second.destroy();
  await once(second, 'close');
  expect(places.size).toBe(1);
  third.destroy();
});
