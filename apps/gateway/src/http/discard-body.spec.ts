import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { leaveBody } from './closing.js';
import { discardBody } from './discard-body.js';
import { createHttpServer } from './http-server.js';
import { type PipelinedRequest } from '../request/pipelined-request.js';

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

it('a CONNECT after a discarded body leaves the parser intact for other connections', async () => {
  const bodies: string[] = [];
  const serve = (request: IncomingMessage, answer: ServerResponse): void => {
    if (request.url === '/refused') {
      leaveBody(request as PipelinedRequest);
      return;
    }
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      bodies.push(Buffer.concat(pieces).toString());
      answer.end();
    });
  };
  const send = (_: unknown, run: () => void): void => run();
  const nothing = (): void => undefined;
  const server = createHttpServer({ serve, admit: nothing, refuse: send, onConnection: nothing, maxConnections: 10 });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const hostile = connect(port, '127.0.0.1');
  hostile.write('POST /refused HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n');
  hostile.write('CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n');
  await sleep(50);
  const other = connect(port, '127.0.0.1');
  other.write(`${head}0123456789`);
  await once(other, 'data');
  expect(bodies).toEqual(['0123456789']);
  hostile.destroy();
  other.destroy();
  server.close();
});
