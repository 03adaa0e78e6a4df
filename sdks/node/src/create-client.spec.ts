import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SluiceError } from '@sluice/sdk-core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient, type NodeClient, type NodeOptions } from './index.js';
import { sdk } from './version.js';

vi.setConfig({ testTimeout: 60_000 });

interface Taken {
  readonly path: string;
  readonly list: Record<string, unknown>[];
}

let server: Server;
let taken: Taken[];
let status: number;
let reports: SluiceError[];
let directory: string;
const clients: NodeClient[] = [];

beforeEach(async () => {
  [taken, status, reports] = [[], 200, []];
  directory = mkdtempSync(join(tmpdir(), 'sluice-node-'));
  server = createServer((request, answer) => {
    void text(request).then((body) => {
      if (status === 200) taken.push({ path: request.url ?? '', ...(JSON.parse(body) as { list: Taken['list'] }) });
      answer.writeHead(status).end(status === 200 ? '{"status":"QUEUED"}' : '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close({ timeout: 100 })));
  server.close();
  server.closeAllConnections();
  rmSync(directory, { recursive: true, force: true });
});

function aClient(change: Partial<NodeOptions> = {}): NodeClient {
  const { port } = server.address() as AddressInfo;
  const client = createClient({
    credentials: { apiKey: 'key', sourceIdentifier: 'Source000001' },
    apiHost: `http://127.0.0.1:${port}`,
    errorHandler: (error) => void reports.push(error),
    ...change,
  });
  clients.push(client);
  return client;
}

const messages = (): Record<string, unknown>[] => taken.flatMap(({ list }) => list);

it('the name and version are those of the package', () => {
  const { name, version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as typeof sdk;
  expect(sdk).toEqual({ name, version });
});

it.each([
  ['no options', undefined],
  ['blank key', { credentials: { apiKey: ' ', sourceIdentifier: 'S' }, apiHost: 'https://sluice.test' }],
  ['no host', { credentials: { apiKey: 'k', sourceIdentifier: 'S' } }],
])('%s: a client that does nothing', async (_, options) => {
  const client = createClient({ ...options, errorHandler: (error) => void reports.push(error) } as NodeOptions);
  expect(client.track('e', {}, { userId: 'u' })).toBe(false);
  expect(await client.flush()).toEqual({ sent: 0, left: 0 });
  await client.drained();
  expect(await client.close()).toEqual({ sent: 0, left: 0 });
  expect(reports.map(({ code }) => code)).toEqual(['disabled']);
});

it('a directory that is blank is reported: events are in memory only', async () => {
  const client = aClient({ storage: { directory: ' ' } });
  expect(client.track('e', {}, { userId: 'u' })).toBe(true);
  expect(await client.flush()).toEqual({ sent: 1, left: 0 });
  expect(reports).toMatchObject([{ code: 'storage', message: expect.stringContaining('directory') as string }]);
});

it('no call throws when a caller without types gives null', async () => {
  const client = aClient();
  const none = null as unknown as undefined;
  expect(client.withContext(none as unknown as object, () => client.track('e', none, none))).toBe(false);
  expect(client.withContext({ userId: 'u' }, () => client.track('e', none, none))).toBe(true);
  expect(client.identify('u', none, none)).toBe(true);
  expect(await client.close(none)).toEqual({ sent: 2, left: 0 });
  expect(reports.map(({ code }) => code)).toEqual(['invalid']);
});

describe.each(['memory', 'directory'] as const)('with storage %s', (kind) => {
  const storage = (): NodeOptions['storage'] => (kind === 'memory' ? kind : { directory });

  it('events and traits of a call arrive, with the person of the call', async () => {
    const client = aClient({ storage: storage() });
    expect(client.track('bought', { total: 49.9 }, { userId: 'u-1', timestamp: '2020-01-02T03:04:05Z' })).toBe(true);
    expect(client.identify('u-2', { plan: 'pro' })).toBe(true);
    expect(client.track('seen', {}, { anonymousId: 'a-1' })).toBe(true);
    expect(await client.flush()).toEqual({ sent: 3, left: 0 });
    const byTime = messages().sort((one, other) => (String(one['timestamp']) < String(other['timestamp']) ? -1 : 1));
    expect(byTime).toHaveLength(3);
    expect(byTime[0]).toMatchObject({ userId: 'u-1', event: 'bought', properties: { total: 49.9 } });
    expect(byTime[0]).toMatchObject({ timestamp: '2020-01-02T03:04:05.000Z' });
    expect(byTime).toContainEqual(expect.objectContaining({ userId: 'u-2', traits: { plan: 'pro' } }));
    const context = { sdk: expect.objectContaining({ ...sdk, device: client.deviceId }) as object };
    expect(byTime).toContainEqual(expect.objectContaining({ anonymousId: 'a-1', event: 'seen', context }));
    expect(messages().some((message) => 'userId' in message && 'anonymousId' in message)).toBe(false);
    expect(reports).toEqual([]);
  });

  it('a call without a person is refused', () => {
    const client = aClient({ storage: storage() });
    expect(client.track('e')).toBe(false);
    expect(client.track('e', {}, { userId: '' })).toBe(false);
    expect(client.identify(undefined as unknown as string)).toBe(false);
    expect(reports.map(({ code }) => code)).toEqual(['invalid', 'invalid', 'invalid']);
  });

  it('withContext gives person and context to calls across await, each request its own', async () => {
    const client = aClient({ storage: storage() });
    await Promise.all(
      ['u-1', 'u-2'].map((userId) =>
        client.withContext({ userId, context: { ip: userId } }, async () => {
          await sleep(5);
          client.track('inside', {}, { context: { page: 1 } });
          client.withContext({ context: { deeper: true } }, () => client.track('deeper'));
          client.track('other', {}, { anonymousId: 'a-9' });
        }),
      ),
    );
    expect(client.track('outside')).toBe(false);
    await client.flush();
    const seen = messages().map(({ event, userId, anonymousId, context }) => {
      const rest = Object.entries(context as object).filter(([name]) => name !== 'sdk');
      return [event, userId, anonymousId, Object.fromEntries(rest)];
    });
    for (const user of ['u-1', 'u-2']) {
      expect(seen).toContainEqual(['inside', user, undefined, { ip: user, page: 1 }]);
      expect(seen).toContainEqual(['deeper', user, undefined, { ip: user, deeper: true }]);
      expect(seen).toContainEqual(['other', undefined, 'a-9', { ip: user }]);
    }
  });

  it('a full queue refuses, counts and reports; room comes back', async () => {
    status = 503;
    const client = aClient({ storage: storage(), maxMessages: 10, flushInterval: 10 });
    const results = Array.from({ length: 14 }, () => client.track('e', {}, { userId: 'u' }));
    expect(results.filter(Boolean)).toHaveLength(10);
    expect(client.needsDrain).toBe(true);
    expect(reports).toMatchObject([{ code: 'overflow', count: 1 }]);
    await expect.poll(() => reports.at(-1), { timeout: 3_000 }).toMatchObject({ code: 'overflow', count: 3 });
    status = 200;
    await client.close();
    expect(client.track('e', {}, { userId: 'u' })).toBe(false);
    expect(reports.at(-1)?.code).toBe('disabled');
  });

  it('drained lets a loop track as much as it likes', async () => {
    const client = aClient({ storage: storage(), maxMessages: 200, flushAt: 50 });
    for (let at = 0; at < 2_000; at++) {
      if (client.needsDrain) await client.drained();
      expect(client.track('loop', { at }, { userId: 'u' })).toBe(true);
    }
    await client.close();
    // Batches that are sent at the same time arrive in any order.
    const numbers = messages().map(({ properties }) => (properties as { at: number }).at);
    expect(numbers.sort((one, other) => one - other)).toEqual(Array.from({ length: 2_000 }, (_, at) => at));
    expect(reports).toEqual([]);
  });
});

it('events that close could not send are reported from memory, and stay in a directory', async () => {
  status = 503;
  const inMemory = aClient({ storage: 'memory' });
  const inDirectory = aClient({ storage: { directory } });
  for (const client of [inMemory, inDirectory]) client.track('kept', {}, { userId: 'u' });
  expect(await inMemory.close({ timeout: 100 })).toEqual({ sent: 0, left: 1 });
  expect(reports).toMatchObject([{ code: 'storage', count: 1 }]);
  expect(await inDirectory.close()).toEqual({ sent: 0, left: 1 });
  expect(reports).toHaveLength(1);
  status = 200;
  const next = aClient({ storage: { directory } });
  expect(await next.flush()).toMatchObject({ left: expect.any(Number) as number });
  await expect.poll(() => messages().length, { timeout: 20_000 }).toBe(1);
  expect(next.deviceId).toBe(inDirectory.deviceId ?? next.deviceId);
}, 30_000);

describe.each(['close', 'flush'] as const)('%s with a timeout, in memory', (method) => {
  it.each(['503', '429', 'reset'])('waits out the pause after one %s, and sends everything', async (fault) => {
    const listener = server.listeners('request')[0] as RequestListener;
    server.removeAllListeners('request');
    server.once('request', (request, answer) => {
      server.on('request', listener);
      if (fault === 'reset') request.socket.destroy();
      else answer.writeHead(Number(fault), { 'retry-after': '1' }).end();
    });
    const client = aClient();
    for (let index = 0; index < 20; index++) client.track('e', { index }, { userId: 'u' });
    expect(await client[method]({ timeout: 4_000 })).toEqual({ sent: 20, left: 0 });
    expect(messages()).toHaveLength(20);
    expect(reports).toEqual([]);
  });

  it('ends at once if the pause outlasts it, and at its deadline if the service is silent', async () => {
    status = 503;
    const client = aClient();
    client.track('kept', {}, { userId: 'u' });
    expect(await client[method]({ timeout: 200 })).toEqual({ sent: 0, left: 1 });
    server.removeAllListeners('request');
    const silenced = aClient();
    silenced.track('kept', {}, { userId: 'u' });
    expect(await silenced[method]({ timeout: 200 })).toEqual({ sent: 0, left: 1 });
  });
});

it.each([
  ['a redirect', (port: number) => `http://127.0.0.1:${port}`, 'redirected to https://www.sluice.test'],
  ['a closed port', () => 'http://127.0.0.1:1', /ECONNREFUSED|bad port/],
  ['a host that does not exist', () => 'http://sluice.invalid', /ENOTFOUND|EAI_AGAIN/],
])('an outage by %s says why', async (_, apiHost, why) => {
  server.removeAllListeners('request');
  server.on('request', (_request, answer) => {
    answer.writeHead(301, { location: 'https://www.sluice.test/secret?key=1' }).end();
  });
  const client = aClient({ apiHost: apiHost((server.address() as AddressInfo).port) });
  client.track('e', {}, { userId: 'u' });
  await client.flush({ timeout: 15_000 });
  const [report] = reports.filter(({ code }) => code === 'unreachable');
  expect(report?.message).toMatch(why);
  expect(report?.message).not.toContain('secret');
  expect(report?.cause).toBeInstanceOf(Error);
});

it('close ends at its deadline when the service is silent', async () => {
  server.removeAllListeners('request');
  const client = aClient({ storage: { directory } });
  client.track('kept', {}, { userId: 'u' });
  const before = performance.now();
  expect(await client.close({ timeout: 200 })).toEqual({ sent: 0, left: 1 });
  expect(performance.now() - before).toBeLessThan(5_000);
});

it.each([{ plugins: 5 }, { plugins: null }, { credentials: null }, { apiHost: 5 }])(
  'options of the wrong type throw nothing: %j',
  (wrong) => {
    const client = aClient(wrong as unknown as Partial<NodeOptions>);
    const isComplete = 'plugins' in wrong;
    expect(client.track('viewed', {}, { userId: 'u' })).toBe(isComplete);
    expect(reports.map(({ code }) => code)).toEqual(isComplete ? [] : ['disabled']);
  },
);
