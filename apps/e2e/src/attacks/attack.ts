import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The gateway that is attacked, and credentials such as lie in every page of a shop. */
export interface Target {
  url: string;
  sourceIdentifier: string;
  apiKey: string;
}

/** A hostile client. Its name says what it does. */
export interface Attack {
  name: string;
  /** Resolves when the time is over and all its connections are closed. */
  run: (target: Target, seconds: number) => Promise<void>;
}

/** The order of a process that attacks, so that this work is not the ordinary client's. */
export interface Order {
  name: string;
  target: Target;
  seconds: number;
}

/** Use that a hostile client makes of one connection. */
export type Use = (socket: Socket, index: number) => void;

/** Keeps so many connections open for so long; one that ends is opened anew, `pauseMs` later. */
export async function besiege(
  { url }: Target,
  { seconds, connections, pauseMs = 20 }: { seconds: number; connections: number; pauseMs?: number },
  use: Use,
): Promise<void> {
  const { hostname, port } = new URL(url);
  const until = performance.now() + seconds * 1_000;
  const one = async (index: number): Promise<void> => {
    while (performance.now() < until) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.once('connect', () => {
        use(socket, index);
      });
      const timer = setTimeout(() => socket.destroy(), Math.max(until - performance.now(), 0));
      await once(socket, 'close').catch(() => undefined);
      clearTimeout(timer);
      await sleep(pauseMs);
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, index) => one(index)));
}

/** Sends the same bytes again and again, as fast as they are taken. */
export function pour(socket: Socket, bytes: Buffer): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
}

/** Sends the request again whenever something is answered. */
export function again(socket: Socket, request: Buffer): void {
  socket.on('data', () => socket.write(request));
  socket.write(request);
}

/** Sends a byte of it now and then. */
export function drip(socket: Socket, bytes: Buffer, everyMs: number): void {
  let at = 0;
  const timer = setInterval(() => {
    if (at < bytes.length) socket.write(bytes.subarray(at, ++at));
  }, everyMs);
  socket.once('close', () => {
    clearInterval(timer);
  });
}

/** The head of a request and its body; `null` leaves the length out. */
export function requestOf(
  line: string,
  headers: Record<string, string> = {},
  body: string | Buffer = '',
  length: number | null = Buffer.byteLength(body),
): Buffer {
  const all = { host: 'sluice.test', ...(length ? { 'content-length': String(length) } : {}), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${line} HTTP/1.1\r\n${lines.join('')}\r\n`), Buffer.from(body)]);
}

/** The headers of a client that has a key. */
export const keyed = ({ apiKey }: Target): Record<string, string> => ({
  authorization: `Bearer ${apiKey}`,
  'content-type': 'application/json',
});

export const json = { 'content-type': 'application/json' };

export const pathOf = ({ sourceIdentifier }: Target, endpoint: string): string =>
  `POST /api/tracker/sdk/${sourceIdentifier}/${endpoint}`;

/** A body in chunks of one byte. */
export const inSingleBytes = (body: string): Buffer => Buffer.from(body.replaceAll(/./gs, '1\r\n$&\r\n'));
