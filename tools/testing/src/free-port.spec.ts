import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort, freePorts, isPortFree } from './free-port.js';

test('free ports are different and free', async () => {
  const ports = await freePorts(20);

  expect(new Set(ports).size).toBe(20);
  expect(await Promise.all(ports.map(isPortFree))).not.toContain(false);
});

test('no port is returned by two calls', async () => {
  const ports: number[] = [];
  for (let call = 0; call < 2_000; call++) ports.push(await freePort());

  expect(new Set(ports).size).toBe(2_000);
});

test('a port on which a server listens is not free', async () => {
  const port = await freePort();
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');

  expect(await isPortFree(port)).toBe(false);
  server.close();
});
