import { type AddressInfo, createServer } from 'node:net';
import type {} from '@sluice/testing'; // what `inject` knows
import { expect, inject, it, vi } from 'vitest';
import { createClickHouse } from './client.js';
import { whenReachable } from './when-reachable.js';

const config = { CLICKHOUSE_DATABASE: 'default', CLICKHOUSE_USER: 'default', CLICKHOUSE_PASSWORD: '' };

async function ask(url: string): Promise<void> {
  const client = createClickHouse({ ...config, CLICKHOUSE_URL: url });
  try {
    await client.command({ query: 'SELECT 1' });
  } finally {
    await client.close();
  }
}

/** A server that resets every connection. */
async function aResettingServer() {
  const server = createServer((socket) => socket.resetAndDestroy()).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

it('repeats the work when a connection was reset', async () => {
  const resetting = await aResettingServer();
  const urls = [resetting.url, resetting.url];
  const work = vi.fn(() => ask(urls.shift() ?? inject('clickhouseUrl')));

  await whenReachable(work);

  expect(work).toHaveBeenCalledTimes(3);
  resetting.close();
});

it('gives up after its time with the last error', async () => {
  const resetting = await aResettingServer();

  await expect(whenReachable(() => ask(resetting.url), 0)).rejects.toThrow(/ECONNRESET|socket hang up/);

  resetting.close();
});

it('does not repeat a query that ClickHouse refuses', async () => {
  const client = createClickHouse({ ...config, CLICKHOUSE_URL: inject('clickhouseUrl') });
  const work = vi.fn(() => client.command({ query: 'SELECT nothing_like_it' }));

  await expect(whenReachable(work)).rejects.toThrow('nothing_like_it');

  expect(work).toHaveBeenCalledOnce();
  await client.close();
});
