import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { createHttpServer } from './http-server.js';

it('long answers to a long pipeline arrive complete, then the connection ends', async () => {
  const piece = Buffer.alloc(65_536, 'x');
  const serve = (_: IncomingMessage, answer: ServerResponse): void => {
    Readable.from(Array.from({ length: 32 }, () => piece)).pipe(answer);
  };
  const send = (_: unknown, run: () => void): void => run();
  const nothing = (): void => undefined;
  const server = createHttpServer({ serve, admit: nothing, refuse: send, onConnection: nothing, maxConnections: 10 });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\n\r\n'.repeat(100));
  let bytes = 0;
  client.on('data', (data) => (bytes += data.length));
  await once(client, 'close');
  expect(bytes).toBeGreaterThan(16 * 32 * piece.length);
  server.close();
});
