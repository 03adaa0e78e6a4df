import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { afterEach, expect, it, vi } from 'vitest';
import { scrapeProcesses } from './processes.js';
import { readConsumerStatus } from './consumer-status.js';
import { readGatewayStatus } from './gateway-status.js';

/** Addresses of a headless service with three pods; each test serves some. */
const pods = ['127.0.0.11', '127.0.0.12', '127.0.0.13'];
vi.mock('node:dns/promises', () => ({
  lookup: (name: string) =>
    name === 'pods'
      ? Promise.resolve(pods.map((address) => ({ address, family: 4 })))
      : Promise.reject(
          Object.assign(new Error(`getaddrinfo ${name}`), { code: name === 'none' ? 'ENOTFOUND' : 'EAI_AGAIN' }),
        ),
}));

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** Serves these metrics at the same port of the pods' addresses, in order. */
async function serving(...texts: string[]): Promise<string> {
  let port = 0;
  for (const [i, text] of texts.entries()) {
    const server = createServer((_, response) => response.end(text)).listen(port, pods[i]);
    servers.push(server);
    await once(server, 'listening');
    const address = server.address();
    port = typeof address === 'object' && address ? address.port : 0;
  }
  return `http://pods:${port}/metrics`;
}

it('counts what lies on the disk of every gateway behind a name', async () => {
  const url = await serving('sluice_spool_messages 0', 'sluice_spool_messages 40', 'sluice_spool_messages 2');

  const { verdict, summary, gateways } = await readGatewayStatus([url], 60);

  expect({ verdict, summary }).toEqual({
    verdict: 'attention',
    summary: '42 messages in the spool, the oldest for 0 s',
  });
  expect(gateways.map(({ spoolMessages }) => spoolMessages)).toEqual([0, 40, 2]);
});

it('names the stuck partition of the last consumer behind a name', async () => {
  const stuck = 'sluice_consumer_stuck_seconds{topic="t",partition="3",what="block",code="X"} 75';
  const url = await serving('up 1', 'up 1', stuck);

  expect(await readConsumerStatus([url], 60)).toMatchObject({
    verdict: 'late',
    summary: expect.stringContaining('t, partition 3, is stuck') as string,
  });
});

it('says which pod of several does not answer', async () => {
  const url = await serving('sluice_spool_messages 0', 'sluice_spool_messages 0');

  const { verdict, summary } = await readGatewayStatus([url], 60);

  expect(verdict).toBe('unreachable');
  expect(summary).toMatch(/^gateway at 127\.0\.0\.13:\d+: .*ECONNREFUSED/);
});

it.each([
  ['none', 'no process has this name'],
  ['broken', 'getaddrinfo broken'],
])('reports the name %s as unreachable when it gives no address', async (name, reason) => {
  const [answer] = await scrapeProcesses([`http://${name}:9000/metrics`]);

  expect(answer?.unreachable).toContain(reason);
});

it('asks again when this process stood still while it waited for the answer', { timeout: 30_000 }, async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    if (++requests > 1) response.end('sluice_spool_messages 0');
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const status = readGatewayStatus([`http://127.0.0.1:${port}/metrics`], 60);
  await new Promise((resolve) => server.once('request', resolve));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 7_500);
  expect(await status).toMatchObject({ verdict: 'ok', gateways: [{ unreachable: null }] });
});
