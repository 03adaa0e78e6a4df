import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.js';
import { exchange, openSocket, rawPost } from '../raw-http.js';

const event = JSON.stringify({ userId: 'u', event: 'e' });
let gateway: GatewayProcess;

beforeAll(async () => {
  gateway = await startGatewayProcess({
    GATEWAY_MAX_REQUESTS_IN_WORK: '20',
    KEYLESS_MAX_REQUESTS_IN_WORK: '10',
  });
});
afterAll(() => gateway.stop());

const statusOfOne = async (): Promise<number | undefined> =>
  (await exchange(rawPost('track', event), { url: gateway.url }))[0]?.status;

it('requests that are broken off hold no place', async () => {
  for (let i = 0; i < 60; i++) {
    const socket = await openSocket(gateway.url);
    socket.write(rawPost('track', event.slice(0, 5), { 'content-length': '500' }));
    // Long enough for the headers to be read.
    await sleep(10);
    socket.destroy();
  }
  await vi.waitFor(async () => {
    expect(await statusOfOne()).toBe(200);
  });
});

it('requests over the bound are answered 503 at once, and taken again when places are free', async () => {
  const sockets = await Promise.all(Array.from({ length: 20 }, () => openSocket(gateway.url)));
  for (const socket of sockets) socket.write(rawPost('track', event.slice(0, 5), { 'content-length': '500' }));
  await vi.waitFor(async () => {
    const [answer] = await exchange(rawPost('track', event), { url: gateway.url });
    expect(answer?.status).toBe(503);
    expect(answer?.headers['retry-after']).toMatch(/^\d+$/);
    expect(JSON.parse(answer?.body ?? '')).toEqual([{ field: '', message: 'error.service.unavailable' }]);
  });
  for (const socket of sockets) socket.destroy();
  await vi.waitFor(async () => {
    expect(await statusOfOne()).toBe(200);
  });
});
