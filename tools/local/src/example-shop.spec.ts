import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { ExampleShop } from './example-shop.js';
import { type LocalEntry } from './local-file.js';

const local = {
  gateway: { url: 'http://127.0.0.1:1' },
  clickhouse: { url: 'http://127.0.0.1:2', database: 'sluice' },
  source: { sourceIdentifier: 'AAAAAAAAAAAA', apiKey: '"><b>' },
} as LocalEntry;

const open: ExampleShop[] = [];
const openShop = async (port: number | undefined): Promise<ExampleShop> => {
  const shop = await ExampleShop.open(port, () => local);
  open.push(shop);
  return shop;
};
afterEach(() => {
  for (const shop of open.splice(0)) shop.close();
});

test('the page has the addresses and the key of the stack, and values cannot end an attribute', async () => {
  const { url } = await openShop(0);
  const page = await (await fetch(url)).text();
  expect(page).toContain('src="http://127.0.0.1:1/sdk/0/snippet.js"');
  expect(page).toContain('data-api-key="&quot;&gt;&lt;b&gt;"');
  expect(page).not.toContain('{{');
  expect((await fetch(`${url}shop.js`)).headers.get('content-type')).toContain('text/javascript');
  expect((await fetch(`${url}../package.json`)).status).toBe(404);
});

test('before the stack is complete there is no page', async () => {
  const shop = await ExampleShop.open(0, () => undefined);
  open.push(shop);
  expect((await fetch(shop.url)).status).toBe(404);
});

test('shops of several stacks find a port; a port that was asked for is used or refused', async () => {
  const [firstShop, secondShop] = [await openShop(undefined), await openShop(undefined)];
  expect(firstShop.url).not.toBe(secondShop.url);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  await expect(openShop((server.address() as AddressInfo).port)).rejects.toThrow('EADDRINUSE');
  server.close();
});
