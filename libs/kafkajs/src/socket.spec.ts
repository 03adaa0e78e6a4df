import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { makeTlsFiles, type TlsFiles } from '@sluice/testing';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openSocket } from './socket.js';

// kafkajs' own sockets, as they are without ours.
const socketFactory = createRequire(import.meta.url)('kafkajs/src/network/socketFactory.js') as () => typeof openSocket;
const factories = [
  ['kafkajs', socketFactory()],
  ['ours', openSocket],
] as const;

let folder: string;
let tls: TlsFiles;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-test-'));
  tls = await makeTlsFiles(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server at 127.0.0.1; returns its port. */
async function listening(server: Server): Promise<number> {
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Serves each connection these pieces, as packets of their own where the system lets it, then ends it. */
const serving = (pieces: readonly Uint8Array[]) => async (socket: Socket) => {
  socket.setNoDelay(true);
  for (const piece of pieces) {
    socket.write(piece);
    await sleep(1);
  }
  socket.end();
};

/** All bytes that a socket reads until its end, copied as they arrive, and the memory that they arrived in. */
async function readAll(socket: Socket): Promise<{ bytes: Buffer; memory: Set<ArrayBufferLike> }> {
  const pieces: Buffer[] = [];
  const memory = new Set<ArrayBufferLike>();
  socket.on('data', (data: Buffer) => {
    memory.add(data.buffer);
    pieces.push(Buffer.from(data));
  });
  await once(socket, 'end');
  return { bytes: Buffer.concat(pieces), memory };
}

const noop = (): void => undefined;

describe.each(factories)('a socket of %s', (_, open) => {
  it('reads every byte that was sent, in order', async () => {
    const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 2_000 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(pieces, async (sent) => {
        const port = await listening(createServer((socket) => void serving(sent)(socket)));
        const { bytes } = await readAll(open({ host: '127.0.0.1', port, onConnect: noop }));
        expect(bytes.equals(Buffer.concat(sent))).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('reads more bytes than fit into one read', async () => {
    const sent = Buffer.from(Array.from({ length: 1_000_003 }, (_, i) => i % 251));
    const port = await listening(createServer((socket) => socket.end(sent)));
    const { bytes } = await readAll(open({ host: '127.0.0.1', port, onConnect: noop }));
    expect(bytes.equals(sent)).toBe(true);
  });

  it('writes, and reports when it is connected', async () => {
    const port = await listening(createServer((socket) => socket.pipe(socket)));
    const connected = await new Promise<Socket>((resolve) => {
      const socket: Socket = open({
        host: '127.0.0.1',
        port,
        onConnect: () => resolve(socket),
      });
    });
    connected.end('echo');
    const { bytes } = await readAll(connected);
    expect(String(bytes)).toBe('echo');
  });

  it('emits an error when nobody listens', async () => {
    const port = await listening(createServer());
    const closed = once(servers[0] ?? createServer(), 'close');
    servers.shift()?.close();
    await closed;
    const [error] = (await once(open({ host: '127.0.0.1', port, onConnect: noop }), 'error')) as [{ code: string }];
    expect(error.code).toBe('ECONNREFUSED');
  });

  it('reads over TLS from a server that its authority signed', async () => {
    const pem = await readFile(tls.server);
    const port = await listening(createTlsServer({ key: pem, cert: pem }, (socket) => socket.end('over TLS')));
    const ssl = { ca: await readFile(tls.ca) };
    const { bytes } = await readAll(open({ host: '127.0.0.1', port, ssl, onConnect: noop }));
    expect(String(bytes)).toBe('over TLS');
  });

  it('refuses a TLS server whose authority is unknown', async () => {
    const pem = await readFile(tls.server);
    const port = await listening(createTlsServer({ key: pem, cert: pem }));
    const socket = open({ host: '127.0.0.1', port, ssl: {}, onConnect: noop });
    const [error] = (await once(socket, 'error')) as [{ code: string }];
    expect(error.code).toMatch(/SELF_SIGNED|UNABLE_TO_VERIFY/);
  });
});

it('reads everything into one buffer', async () => {
  const pieces = Array.from({ length: 5 }, (_, i) => Buffer.alloc(100, i));
  const port = await listening(createServer((socket) => void serving(pieces)(socket)));
  const { memory } = await readAll(openSocket({ host: '127.0.0.1', port, onConnect: noop }));
  expect(memory.size).toBe(1);
});
