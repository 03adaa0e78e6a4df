import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { readConfig } from '@sluice/service';
import { makeTlsFiles, type TlsFiles } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { BlockWriter } from '../write/block-writer.js';
import { createClickHouse } from './client.js';
import { clickhouseVariables } from './config.js';

let folder: string;
let files: TlsFiles;
let server: Server;
const sockets = new Set<TLSSocket>();

// A TLS proxy that asks for a client certificate: the embedded server itself listens without TLS.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-clickhouse-tls-'));
  files = await makeTlsFiles(folder);
  const [ca, bundle] = [await readFile(files.ca), await readFile(files.server)];
  const { hostname, port } = new URL(inject('clickhouseUrl'));
  server = createServer({ ca, cert: bundle, key: bundle, requestCert: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    const upstream = connect(Number(port), hostname);
    socket.pipe(upstream).pipe(socket);
    for (const stream of [socket, upstream])
      stream.on('error', () => socket.destroy(upstream.destroy().errored ?? undefined));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

const address = (): string => {
  const address = server.address();
  return `https://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
};
const ping = async (environment: NodeJS.ProcessEnv): Promise<void> => {
  const config = readConfig(clickhouseVariables, { CLICKHOUSE_URL: address(), ...environment });
  const writer = new BlockWriter(createClickHouse(config, 'default'));
  try {
    await writer.ping();
  } finally {
    await writer.close();
  }
};

it('connects by TLS to a server that its authority has signed, and sends its own certificate', async () => {
  const clientFiles = { CLICKHOUSE_TLS_CERT_FILE: files.clientCert, CLICKHOUSE_TLS_KEY_FILE: files.clientKey };
  await ping({ CLICKHOUSE_TLS_CA_FILE: files.ca, ...clientFiles });
});

it('follows certificates that are renewed under their names, without a restart', async () => {
  const renewed = await makeTlsFiles(await mkdtemp(join(folder, 'renewed-')));
  const followed = {
    ca: join(folder, 'followed-ca'),
    cert: join(folder, 'followed-cert'),
    key: join(folder, 'followed-key'),
  };
  const mount = async ({ ca, clientCert, clientKey }: TlsFiles): Promise<void> => {
    await copyFile(ca, followed.ca);
    await copyFile(clientCert, followed.cert);
    await copyFile(clientKey, followed.key);
  };
  await mount(files);
  const writer = new BlockWriter(
    createClickHouse(
      readConfig(clickhouseVariables, {
        CLICKHOUSE_URL: address(),
        CLICKHOUSE_TLS_CA_FILE: followed.ca,
        CLICKHOUSE_TLS_CERT_FILE: followed.cert,
        CLICKHOUSE_TLS_KEY_FILE: followed.key,
      }),
      'default',
    ),
  );
  const serveWith = async ({ ca, server: bundle }: TlsFiles): Promise<void> => {
    const [authority, clientCertificate] = [await readFile(ca), await readFile(bundle)];
    server.setSecureContext({ ca: authority, cert: clientCertificate, key: clientCertificate });
    for (const socket of sockets) socket.destroy();
  };
  try {
    await writer.ping();
    await serveWith(renewed);
    await expect(writer.ping()).rejects.toThrow();

    await mount(renewed);
    await writer.ping();
  } finally {
    await serveWith(files);
    await writer.close();
  }
});

it('cannot connect without a certificate of its own to a server that asks for one', async () => {
  await expect(ping({ CLICKHOUSE_TLS_CA_FILE: files.ca })).rejects.toThrow();
});

it('refuses a server whose certificate no known authority has signed', async () => {
  await expect(ping({})).rejects.toThrow(/certificate/);
});

it('signs in with the password of a file', async () => {
  const password = join(folder, 'password');
  await writeFile(password, 'not the password of default\n');
  const config = readConfig(clickhouseVariables, {
    CLICKHOUSE_URL: inject('clickhouseUrl'),
    CLICKHOUSE_USER: 'nobody',
    CLICKHOUSE_PASSWORD_FILE: password,
  });
  const client = createClickHouse(config, 'default');
  await expect(client.query({ query: 'SELECT 1' })).rejects.toThrow(/Authentication failed/);
  await client.close();
});
