import { type HttpRequest } from '@sluice/sdk-core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createAds } from '../ads/index.js';
import { fetchTransport, packingTransport } from './fetch-transport.js';

let options: RequestInit[];

beforeEach(() => {
  options = [];
  vi.stubGlobal('location', { origin: 'https://shop.test' });
  vi.stubGlobal('fetch', (_url: string, init: RequestInit) => {
    options.push(init);
    return Promise.resolve(Response.json({ status: 'QUEUED' }));
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

const request: HttpRequest = { method: 'POST', url: 'https://sluice.test/', headers: {}, body: '{}', keepalive: false };

it.each([
  ['a request', () => fetchTransport.send(request).answer],
  ['a callback of a page or worker that may end', () => fetchTransport.send({ ...request, keepalive: true }).answer],
  ['a batch', () => packingTransport.send(request).answer],
  [
    'a compressed batch of a page that is left',
    async () => {
      const packed = await packingTransport.pack?.('{}');
      return packingTransport.send({ ...request, packed, keepalive: true }).answer;
    },
  ],
  ['a request for an ad', () => createAds().requestAd({})],
])('%s neither sends nor takes cookies', async (_, send) => {
  await send();
  expect(options).toMatchObject([{ credentials: 'omit' }]);
});
