import { connect } from 'node:net';
import { type BurstOrder, type BurstResult } from './burst.js';
import { trackBatch } from './samples.js';

const batches = 8;

process.on('disconnect', () => process.exit());
process.once('message', (order: BurstOrder) => {
  void run(order).then((result) => process.send?.(result));
});

async function run(order: BurstOrder): Promise<BurstResult> {
  const requests = Array.from({ length: batches }, (_, n) =>
    buildRequest(order, JSON.stringify(trackBatch(n, order.items))),
  );
  const result = { firstMs: [] as number[], answerMs: [] as number[], failed: {} as Record<string, number> };
  const until = performance.now() + order.seconds * 1_000;
  await Promise.all(
    Array.from({ length: order.connections }, (_, index) => converse(order, requests, index, until, result)),
  );
  return result;
}

function buildRequest({ url, headers }: BurstOrder, body: string): Buffer {
  const { pathname, host } = new URL(url);
  const allHeaders = { host, ...headers, 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

/** Sends on one connection until the time is over and waits for the last answer. */
function converse(
  { url }: BurstOrder,
  requests: readonly Buffer[],
  index: number,
  until: number,
  result: { firstMs: number[]; answerMs: number[]; failed: Record<string, number> },
): Promise<void> {
  const { hostname, port } = new URL(url);
  let sentAt = performance.now();
  let sent = index;
  let isFirst = true;
  const socket = connect(Number(port), hostname);
  const fail = (answer: string): void => {
    result.failed[answer] = (result.failed[answer] ?? 0) + 1;
  };
  const send = (): void => {
    socket.write(requests[sent++ % requests.length] ?? '');
  };
  socket.on('connect', send);
  // Each `data` event is one whole answer, because answers are short.
  socket.on('data', (answer) => {
    const tookMs = performance.now() - sentAt;
    if (isFirst) result.firstMs.push(tookMs);
    isFirst = false;
    result.answerMs.push(tookMs);
    const status = answer.toString('latin1', 0, 12);
    if (status !== 'HTTP/1.1 200') fail(status);
    if (performance.now() > until) socket.destroy();
    else {
      sentAt = performance.now();
      send();
    }
  });
  socket.on('error', ({ message }) => fail(message));
  return new Promise((resolve) => socket.on('close', () => resolve()));
}
