import { afterEach, expect, it, vi } from 'vitest';
import { fetchTransport } from './fetch-transport.js';

afterEach(() => {
  vi.unstubAllGlobals();
});

it.each([
  { method: 'POST', body: '{}', keepalive: false },
  { method: 'GET', keepalive: true },
] as const)('a $method neither sends nor takes cookies of the app', async (request) => {
  const options: object[] = [];
  vi.stubGlobal('fetch', (_url: string, init: object) => {
    options.push(init);
    return Promise.resolve(Response.json({ status: 'QUEUED' }));
  });
  await fetchTransport.send({ ...request, url: 'https://sluice.test/', headers: {} }).answer;
  expect(options).toMatchObject([{ credentials: 'omit' }]);
});
