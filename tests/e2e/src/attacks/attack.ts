import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The attacked gateway, and credentials as every page of a shop exposes them: those of the attacker's source. */
export interface AttackTarget extends AttackCredentials {
  url: string;
  /** Credentials of the ordinary client's source; the attacker knows this key too. */
  ordinary: AttackCredentials;
}

export interface AttackCredentials {
  sourceIdentifier: string;
  apiKey: string;
}

/** A hostile client; its name describes the attack. */
export interface Attack {
  name: string;
  /** Limit of the ordinary client's p99 during the attack, if not the default. */
  maxMs?: number;
  /** Limit of that p99 as a multiple of the p99 without attack, for heavy but honest use of a source. */
  maxTimes?: number;
  /** Resolves when the time is over and all connections are closed. */
  run: (target: AttackTarget, seconds: number) => Promise<void>;
}

/** Order for a separate attacking process, so that its work does not slow the ordinary client. */
export interface Order {
  name: string;
  target: AttackTarget;
  seconds: number;
}

/** Name of an order to only keep a processor busy, as every attacker on this machine does, until killed. */
export const spinning = 'nothing, as fast as possible';

/** Attacks over one connection. */
export type Use = (socket: Socket, index: number) => void;

interface Siege {
  seconds: number;
  connections: number;
  pauseMs?: number;
  openMs?: number;
}

/** Connections opened per second: Node accepts one per turn of its loop, so a burst is an attack of its own. */
const perSecond = 2_000;

/** Keeps `connections` open for `seconds`; a closed one is reopened after `pauseMs`. All begin within `openMs`. */
export async function besiege(
  { url }: AttackTarget,
  { seconds, connections, pauseMs = 20, openMs = (connections / perSecond) * 1_000 }: Siege,
  use: Use,
): Promise<void> {
  const { hostname, port } = new URL(url);
  const until = performance.now() + seconds * 1_000;
  const runConnection = async (index: number): Promise<void> => {
    await sleep((index / connections) * openMs);
    while (performance.now() < until) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.once('connect', () => use(socket, index));
      const timer = setTimeout(() => socket.destroy(), Math.max(until - performance.now(), 0));
      await once(socket, 'close').catch(() => undefined);
      clearTimeout(timer);
      await sleep(pauseMs);
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, index) => runConnection(index)));
}

/**
 * Sends the same bytes repeatedly, as fast as the gateway takes them.
 * @param max number of times. Bytes that the gateway has not taken wait in the kernel, which both processes share
 *   here: 1,500 endless senders fill 1.5 GB, and the kernel then drops segments of the ordinary client too.
 */
export function pour(socket: Socket, bytes: Buffer, max = Infinity): void {
  let sent = 0;
  const writeMore = (): void => {
    while (!socket.destroyed && sent++ < max && socket.write(bytes));
  };
  socket.on('drain', writeMore);
  writeMore();
}

/** Sends the request again whenever data arrives. */
export function again(socket: Socket, request: Buffer): void {
  socket.on('data', () => socket.write(request));
  socket.write(request);
}

/** Sends one byte every `everyMs`. */
export function drip(socket: Socket, bytes: Buffer, everyMs: number): void {
  let offset = 0;
  const timer = setInterval(() => {
    if (offset < bytes.length) socket.write(bytes.subarray(offset, ++offset));
  }, everyMs);
  socket.once('close', () => clearInterval(timer));
}

/** Bytes of a request's head and body; a `length` of null or 0 omits the Content-Length. */
export function buildRequest(
  line: string,
  headers: Record<string, string> = {},
  body: string | Buffer = '',
  length: number | null = Buffer.byteLength(body),
): Buffer {
  const allHeaders = { host: 'sluice.test', ...(length ? { 'content-length': String(length) } : {}), ...headers };
  const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${line} HTTP/1.1\r\n${lines.join('')}\r\n`), Buffer.from(body)]);
}

/** Headers of a client with a key. */
export const keyed = ({ apiKey }: Pick<AttackCredentials, 'apiKey'>): Record<string, string> => ({
  authorization: `Bearer ${apiKey}`,
  'content-type': 'application/json',
});

export const json = { 'content-type': 'application/json' };

export const requestLine = (
  { sourceIdentifier }: Pick<AttackCredentials, 'sourceIdentifier'>,
  endpoint: string,
): string => `POST /api/tracker/sdk/${sourceIdentifier}/${endpoint}`;

/** A body in chunks of one byte. */
export const inSingleBytes = (body: string): Buffer => Buffer.from(body.replaceAll(/./gs, '1\r\n$&\r\n'));
