import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { freePort } from '@sluice/testing';

/** The address of a server that comes and goes. While it is unreachable, connections to it are refused. */
interface Unreachable {
  readonly port: number;
  open(): Promise<void>;
  close(): Promise<void>;
}

/** The address of a ClickHouse whose other replica may be down. */
export interface ReplicatedClickHouse extends Unreachable {
  /** True when statements that create or change something fail, as with ON CLUSTER: TIMEOUT_EXCEEDED. */
  isReplicaDown: boolean;
  /** Statements so far that create or change something. */
  readonly changes: string[];
}

export async function replicatedClickHouse(upstream: string): Promise<ReplicatedClickHouse> {
  const port = await freePort();
  const changes: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    if (/^\s*(CREATE|ALTER)\b/.test(body)) {
      changes.push(body);
      if (proxy.isReplicaDown) {
        response.writeHead(500, { 'x-clickhouse-exception-code': '159' });
        response.end(
          'Code: 159. DB::Exception: There are 1 unfinished hosts (0 of them are active). (TIMEOUT_EXCEEDED)',
        );
        return;
      }
    }
    const { method = 'GET', url = '/', headers } = request;
    const { authorization, 'content-type': contentType } = headers;
    const target = new URL(url, upstream);
    const sent = await fetch(target, {
      method,
      ...(method === 'POST' && { body }),
      headers: {
        ...(authorization !== undefined && { authorization }),
        ...(contentType !== undefined && { 'content-type': contentType }),
      },
    });
    response.writeHead(sent.status, withoutLength(sent.headers)).end(Buffer.from(await sent.arrayBuffer()));
  };
  const server = createHttpServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  const proxy: ReplicatedClickHouse = {
    port,
    changes,
    isReplicaDown: false,
    open: () => new Promise((resolve) => server.listen(port, '127.0.0.1', resolve)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}

const withoutLength = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    [...headers].filter(
      ([name]) => !/^(content-length|content-encoding|transfer-encoding|connection|keep-alive)$/.test(name),
    ),
  );

/** The first address of a Kafka, through which clients learn the others. */
export interface FirstBroker extends Unreachable {
  /** True when it accepts connections and answers nothing. */
  isFrozen: boolean;
}

export async function firstBroker(upstream: string): Promise<FirstBroker> {
  const port = await freePort();
  const [host = '', upstreamPort] = upstream.split(':');
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    if (broker.isFrozen) return;
    const real = connect(Number(upstreamPort), host).on('error', () => socket.destroy());
    socket.pipe(real).pipe(socket);
  });
  const broker: FirstBroker = {
    port,
    isFrozen: false,
    open: () => new Promise((resolve) => server.listen(port, '127.0.0.1', resolve)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return broker;
}
