import { eventually } from '@sluice/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.js';
import { exchange, connectToGateway, rawPost, readAnswers } from '../raw-http.js';

const event = JSON.stringify({ userId: 'u', event: 'e' });
let gateway: GatewayProcess;

beforeAll(async () => {
  gateway = await startGatewayProcess({
    GATEWAY_MAX_REQUESTS_IN_WORK: '5',
    KEYLESS_MAX_REQUESTS_IN_WORK: '2',
  });
});
afterAll(() => gateway.stop());

const statusOfOne = async (): Promise<number | undefined> =>
  (await exchange(rawPost('track', event), { url: gateway.url }))[0]?.status;

it('aborted requests hold no place', async () => {
  for (let i = 0; i < 60; i++) {
    const socket = await connectToGateway(gateway.url);
    socket.write(rawPost('track', event.slice(0, 5), { 'content-length': '500' }));
    // Gives the gateway time to read the headers.
    await sleep(10);
    socket.destroy();
  }
  await eventually(async () => {
    expect(await statusOfOne()).toBe(200);
  });
});

it('requests whose bodies never come hold no place', async () => {
  const sockets = await Promise.all(Array.from({ length: 40 }, () => connectToGateway(gateway.url)));
  for (const socket of sockets) socket.write(rawPost('track', event.slice(0, 5), { 'content-length': '500' }));
  await sleep(200);
  expect(await statusOfOne()).toBe(200);
  for (const socket of sockets) socket.destroy();
});

it('requests over the limit are answered with 503, and accepted again when places are free', async () => {
  const sockets = await Promise.all(Array.from({ length: 200 }, () => connectToGateway(gateway.url)));
  const answers = await Promise.all(
    sockets.map((socket) => {
      socket.write(rawPost('track', event));
      return readAnswers(socket, 1);
    }),
  );
  for (const socket of sockets) socket.destroy();
  const refused = answers.flat().filter(({ status }) => status === 503);
  expect(answers.flat().filter(({ status }) => status === 200).length).toBe(200 - refused.length);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]?.headers['retry-after']).toMatch(/^\d+$/);
  expect(JSON.parse(refused[0]?.body ?? '')).toEqual([{ field: '', message: 'error.service.unavailable' }]);
  await eventually(async () => {
    expect(await statusOfOne()).toBe(200);
  });
});
