import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { closeSoftly } from './closing.js';

it('a connection without a parser is hardly read while it closes, however fast it sends, and gets its last answer', async () => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect({ port: (server.address() as AddressInfo).port, allowHalfOpen: true });
  let answer = '';
  client.on('data', (data) => (answer += data.toString()));
  // Its writes fail when the server closes.
  client.on('error', () => undefined);
  client.write(Buffer.alloc(16 * 1_048_576, 'x'));
  const [socket] = await accepted;
  closeSoftly(socket, 'goodbye');
  await new Promise((resolve) => client.once('close', resolve));
  expect(answer).toBe('goodbye');
  expect(socket.bytesRead).toBeLessThan(524_288);
  server.close();
});
