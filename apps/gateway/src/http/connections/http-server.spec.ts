import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@sluice/testing';
import { expect, it, onTestFinished } from 'vitest';
import { type PipelinedRequest } from '../../request/pipelined-request.js';
import { leaveBody } from '../reading/closing.js';
import { createHttpServer } from './http-server.js';

type Serve = (request: IncomingMessage, answer: ServerResponse) => void;

/** Starts a server on a free port; resolves with the port. */
async function listen(serve: Serve): Promise<number> {
  const nothing = (): void => undefined;
  const server = createHttpServer({
    serve,
    onBeforeServe: nothing,
    onRefusalTurn: (_, send) => send(),
    onConnection: nothing,
    maxConnections: 1_000,
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/** Answers a POST when its body is complete, as Fastify does. */
const answerBody: Serve = (request, answer) => {
  let bytes = 0;
  request.on('data', (data: Buffer) => (bytes += data.length)).on('end', () => answer.end(`read ${bytes} bytes`));
};

/** Sends a POST, its body in two pieces; resolves when the server has answered it. */
async function postInPieces(client: Socket): Promise<void> {
  let answer = '';
  client.on('data', (data) => (answer += data.toString()));
  client.write(`POST / HTTP/1.1\r\ncontent-length: 20\r\n\r\n${'x'.repeat(10)}`);
  await sleep(100);
  client.write('x'.repeat(10));
  await eventually(() => expect(answer).toContain('read 20 bytes'));
}

it('long answers to a long pipeline arrive complete, then the connection ends', async () => {
  const piece = Buffer.alloc(65_536, 'x');
  const port = await listen((_, answer) => void Readable.from(Array.from({ length: 32 }, () => piece)).pipe(answer));
  const client = connect(port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\n\r\n'.repeat(100));
  let bytes = 0;
  client.on('data', (data) => (bytes += data.length));
  await once(client, 'close');
  expect(bytes).toBeGreaterThan(16 * 32 * piece.length);
});

it('reads a body that comes in pieces while the requests of others fill the line', async () => {
  let served = 0;
  const port = await listen((request, answer) => {
    served += 1;
    // The others are never answered.
    if (request.method === 'POST') answerBody(request, answer);
  });
  const connections = 260;
  const others = Array.from({ length: connections }, () => connect(port, '127.0.0.1'));
  for (const other of others) other.on('error', () => undefined).write('GET / HTTP/1.1\r\n\r\n'.repeat(17));
  await eventually(() => expect(served).toBe(connections));
  await postInPieces(connect(port, '127.0.0.1'));
  for (const other of others) other.destroy();
});

it('reads a body that comes in pieces on a connection that has sent many requests at once', async () => {
  const port = await listen((request, answer) => {
    if (request.method === 'POST') answerBody(request, answer);
    else answer.end('got');
  });
  const client = connect(port, '127.0.0.1');
  let answers = 0;
  client.on('data', (data) => (answers += data.toString().split('HTTP/1.1 200').length - 1));
  // All requests that are sent at once, except the first, come before the previous one is answered: 256 in all.
  for (const count of [...Array.from({ length: 17 }, () => 16), 2]) {
    answers = 0;
    client.write('GET / HTTP/1.1\r\n\r\n'.repeat(count));
    await eventually(() => expect(answers).toBe(count));
  }
  await postInPieces(client);
});

it('reads a refused body in chunks of one byte 64 KiB at a time', async () => {
  const maxBytes = 65_536;
  const left: Socket[] = [];
  const port = await listen((request) => {
    leaveBody(request as PipelinedRequest);
    left.push(request.socket);
  });
  const hostile = connect(port, '127.0.0.1').on('error', () => undefined);
  hostile.write('POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n');
  hostile.write('1\r\nx\r\n'.repeat(200_000));
  const socket = await eventually(() => left[0] ?? expect.fail('no request'));
  for (let turn = 0; turn < 3; turn++) {
    await sleep(50);
    const before = socket.bytesRead;
    expect(socket.isPaused()).toBe(true);
    socket.resume();
    await eventually(() => expect(socket.bytesRead).toBeGreaterThan(before));
    expect(socket.bytesRead - before).toBeLessThanOrEqual(maxBytes);
  }
  hostile.destroy();
});

it('a CONNECT after a discarded body leaves the parser intact for other connections', async () => {
  const bodies: string[] = [];
  const serve: Serve = (request, answer) => {
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
  const port = await listen(serve);
  const hostile = connect(port, '127.0.0.1');
  hostile.write('POST /refused HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n');
  hostile.write('CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n');
  await sleep(50);
  const other = connect(port, '127.0.0.1');
  other.write('POST / HTTP/1.1\r\ncontent-length: 10\r\n\r\n0123456789');
  await once(other, 'data');
  expect(bodies).toEqual(['0123456789']);
  hostile.destroy();
  other.destroy();
});
