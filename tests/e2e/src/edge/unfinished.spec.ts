import { eventually } from '@sluice/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inSingleBytes } from '../attacks/attack.js';
import { exchange, connectToGateway, rawPost, readAnswers } from '../raw-http.js';
import { local } from '../stack.js';
import { makeProblems, text } from './edge-request.js';

const chunked = { 'content-length': '', 'transfer-encoding': 'chunked' };
const good = rawPost('track', text);
const statuses = (answers: readonly { status: number }[]): number[] => answers.map(({ status }) => status);

/** Current number of unfinished requests of all routes. */
async function inWork(): Promise<number> {
  const metrics = await (await fetch(`${local().gateway.managementUrl}/metrics`)).text();
  return Number(/^sluice_gateway_requests_in_work(?:\{.*\})? (\d+)$/m.exec(metrics)?.[1]);
}

it('only the first few of many pipelined requests are answered, in order, and the connection ends', async () => {
  const answers = await exchange(Buffer.concat(Array(200).fill(good) as Buffer[]), { answers: 200 });
  expect(new Set(statuses(answers))).toEqual(new Set([200]));
  expect(answers.length).toBeGreaterThanOrEqual(16);
  expect(answers.length).toBeLessThan(30);
  expect(answers.at(-1)?.headers['connection']).toBe('close');
  expect(answers.slice(0, -1).every(({ headers }) => headers['connection'] !== 'close')).toBe(true);
});

it('a client can pipeline a few requests repeatedly, but not forever', async () => {
  const socket = await connectToGateway();
  let received = '';
  socket.on('data', (bytes: Buffer) => (received += bytes.toString('latin1')));
  const answered = (): number => received.split('HTTP/1.1 404').length - 1;
  for (let sent = 0; !socket.closed && sent < 600; sent += 8) {
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(8));
    await eventually(() => expect(socket.closed || answered() === sent + 8).toBe(true));
  }
  expect(socket.closed).toBe(true);
  expect(answered()).toBeGreaterThan(256);
  expect(answered()).toBeLessThan(400);
  expect(received.split(/connection: close/i)).toHaveLength(2);
});

it.each(['GET /', 'GET /openapi.json', 'OPTIONS /api/x', 'GET /health/ready', 'GET /docs/swagger-ui-bundle.js'])(
  'unread answers to pipelined %s hold no place',
  async (line) => {
    const sockets = await Promise.all(Array.from({ length: 10 }, () => connectToGateway()));
    for (const socket of sockets) socket.pause().write(`${line} HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(1_000));
    await sleep(200);
    // Requests of other specs are in work for moments; unread answers would be for as long as this waits.
    await eventually(async () => expect(await inWork()).toBe(0));
    expect(statuses(await exchange(good))).toEqual([200]);
    for (const socket of sockets) socket.destroy();
  },
);

it('a parser error is answered after all earlier requests', async () => {
  const answers = await exchange(Buffer.concat([good, good, Buffer.from('garbage\r\n\r\n')]), { answers: 4 });
  expect(statuses(answers)).toEqual([200, 200, 400]);
  expect(JSON.parse(answers[2]?.body ?? '')).toEqual(makeProblems('error.request.malformed'));
});

it('an error in the body of a pipelined request is answered after all earlier requests', async () => {
  const broken = rawPost('track', `zz\r\n${text}`, chunked);
  expect(statuses(await exchange(Buffer.concat([good, broken]), { answers: 3 }))).toEqual([200, 400]);
});

it.each([
  ['an unknown expectation', (): Buffer => rawPost('track', text, { expect: 'x' }), [417]],
  [
    'an unknown expectation after a good request',
    (): Buffer => Buffer.concat([good, rawPost('track', text, { expect: 'x' })]),
    [200, 417],
  ],
  ['a tunnel', (): string => 'CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n', [405]],
  [
    'a tunnel after a good request',
    (): string => `${good.toString()}CONNECT x:443 HTTP/1.1\r\nhost: x\r\n\r\n`,
    [200, 405],
  ],
  ['the preface of HTTP/2', (): string => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
  [
    'an upgrade to HTTP/2',
    (): Buffer =>
      rawPost('track', text, { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'HTTP2-Settings': 'x' }),
    [200],
  ],
] as const)('%s is answered, in order', async (_, request, expected) => {
  expect(statuses(await exchange(request(), { answers: expected.length }))).toEqual(expected);
});

it.each(['Expect: x', 'Transfer-Encoding: x'])('closes the connection of a client refused for %s', async (header) => {
  const socket = await connectToGateway();
  let isClosed = false;
  socket.on('close', () => (isClosed = true)).resume();
  socket.write(`POST /api/rtb/ad HTTP/1.1\r\nhost: x\r\n${header}\r\ncontent-length: 2000000\r\n\r\n`);
  await eventually(() => expect(isClosed).toBe(true));
});

it('a refused request gets no 100 Continue', async () => {
  const head = rawPost('track', '', { expect: '100-continue', 'content-length': '20', authorization: 'Bearer x' });
  expect(statuses(await exchange(head))).toEqual([401]);
});

it.each([
  ['a path that does not exist', 'POST /nothing', 404],
  ['a preflight', 'OPTIONS /api/x', 204],
  ['a method that is not allowed', 'PUT /api/rtb/ad', 405],
  ['health', 'GET /health/ready', 200],
  ['no key', 'POST /api/tracker/sdk/AAAAAAAAAAAA/track', 401],
  ['an ad request that is too large', 'POST /api/rtb/ad', 413],
])('answers %s without waiting for the body', async (_, line, status) => {
  for (const length of ['content-length: 100000000', ...(status === 413 ? [] : ['transfer-encoding: chunked'])]) {
    const socket = await connectToGateway();
    socket.write(`${line} HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\n${length}\r\n\r\n`);
    const [answer] = await readAnswers(socket, 1, 5_000);
    expect([answer?.status, answer?.headers['connection']]).toEqual([status, 'close']);
    socket.destroy();
  }
});

it('a client that sends a megabyte before it reads gets its answer', async () => {
  const body = Buffer.alloc(1_000_000, ' ');
  const [answer] = await exchange(rawPost('track', body));
  expect(answer?.status).toBe(413);
});

it('a body in chunks of one byte is refused', async () => {
  const bytes = inSingleBytes(text.padEnd(2_000)).toString();
  expect(statuses(await exchange(rawPost('track', `${bytes}0\r\n\r\n`, chunked)))).toEqual([400]);
  const few = inSingleBytes(text).toString();
  expect(statuses(await exchange(rawPost('track', `${few}0\r\n\r\n`, chunked)))).toEqual([200]);
});

it('ignores trailers and chunk extensions', async () => {
  const body = `${text.length.toString(16)};a=b\r\n${text}\r\n0\r\nauthorization: x\r\n\r\n`;
  expect(statuses(await exchange(rawPost('track', body, chunked)))).toEqual([200]);
});

it('answers more than a hundred headers with 431', async () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`x-${i}`, '1']));
  const [answer] = await exchange(rawPost('track', text, many));
  expect([answer?.status, JSON.parse(answer?.body ?? '')]).toEqual([
    431,
    makeProblems('error.request.headersTooLarge'),
  ]);
});
