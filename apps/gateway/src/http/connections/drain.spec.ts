import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { drainConnections } from './drain.js';

const request = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

it('answers the connections that wait in the queue of the listener, and refuses later ones', async () => {
  const server = createServer((_, answer) => answer.end('done'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = (): Promise<string> => {
    const client = connect(port, '127.0.0.1');
    let text = '';
    client.on('data', (data) => (text += data.toString()));
    client.write(request);
    return new Promise((resolve) => {
      client.on('error', ({ message }) => (text = message));
      client.on('close', () => resolve(text));
    });
  };
  // The system takes these connections before the server does.
  const early = Array.from({ length: 50 }, ask);
  const drained = drainConnections(server, [], 5_000);
  for (const answer of await Promise.all(early)) expect(answer).toContain('200 OK');
  await drained;
  expect(await ask()).toContain('ECONNREFUSED');
});
