import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { discardBody } from './discard-body.js';

const head = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n';

it('passes on no further piece of a body, and the parser serves the next connection normally', async () => {
  const pieces: string[] = [];
  let discards = true;
  const server = createServer({ keepAliveTimeout: 100 }, (request: IncomingMessage, answer) => {
    request.on('data', (piece: Buffer) => pieces.push(piece.toString()));
    request.on('end', () => answer.end());
    if (discards) discardBody(request.socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const sent = async (): Promise<void> => {
    const socket = connect(port, '127.0.0.1');
    socket.write(`${head}01234`);
    await sleep(50);
    socket.write('56789');
    await once(socket, 'data');
    socket.destroy();
    await sleep(50);
  };
  await sent();
  expect(pieces).toEqual([]);
  discards = false;
  await sent();
  expect(pieces.join('')).toBe('0123456789');
  server.close();
});
