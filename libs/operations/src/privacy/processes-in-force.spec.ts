import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { listNotInForce } from './processes-in-force.js';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** Address of a process with these metrics. */
async function processWith(app: string, metrics: Record<string, number>): Promise<string> {
  const lines = [`sluice_build_info{app="${app}"} 1`, ...Object.entries(metrics).map((metric) => metric.join(' '))];
  const server = createServer((_, response) => response.end(lines.join('\n'))).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
}

const reasons = async (consumers: readonly string[], gateways: readonly string[] = []): Promise<string[]> =>
  (await listNotInForce({ gateways, consumers }, 7n)).map((reason) => reason.replace(/127\.0\.0\.1:\d+/, '<address>'));

it('waits for no process that stores nothing of people', async () =>
  expect(await reasons([await processWith('catalog', { sluice_privacy_follows_suppressions: 0 })])).toEqual([]));

it('waits for a process that has to know the suppression, and for one that does not say', async () => {
  const knows = await processWith('tracking', {
    sluice_privacy_follows_suppressions: 1,
    sluice_privacy_registry_offset: 7,
  });
  const doesNotKnow = await processWith('tracking', {
    sluice_privacy_follows_suppressions: 1,
    sluice_privacy_registry_offset: 6,
  });
  const ofEarlierVersion = await processWith('catalog', {});
  expect(await reasons([knows, doesNotKnow, ofEarlierVersion])).toEqual([
    'tracking at <address> does not know the suppression yet',
    'catalog at <address> does not say whether it suppresses: it is of an earlier version',
  ]);
});

it('waits for a name without a process only when it is a gateway, because a consumer reads before it stores', async () => {
  const nobody = 'http://nobody.invalid:9000/metrics';
  expect(await reasons([nobody])).toEqual([]);
  expect(await reasons([], [nobody])).toEqual([
    'process at nobody.invalid:9000 does not answer: no process has this name',
  ]);
});
