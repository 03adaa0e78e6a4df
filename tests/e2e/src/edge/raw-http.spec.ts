import { expect, it } from 'vitest';
import { local } from '../stack.js';
import { exchange, connectToGateway, rawPost, readAnswers } from '../raw-http.js';
import { expectFixedHeaders, makeProblems, text } from './edge-request.js';

const notHttp = Buffer.from('\x16\x03\x01\x02\x00\x01\x00\x01\r\n\r\n', 'latin1');
const chunked = { 'content-length': '', 'transfer-encoding': 'chunked' };

it.each([
  ['bytes that are not HTTP', 400, 'error.request.malformed', (): Buffer => notHttp],
  ['an unknown method', 400, 'error.request.malformed', (): string => 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a broken header', 400, 'error.request.malformed', (): Buffer => rawPost('track', text, { 'bad name': 'x' })],
  ['two lengths', 400, 'error.request.malformed', (): Buffer => rawPost('track', text, { 'Content-Length': '5' })],
  [
    'a negative length',
    400,
    'error.request.malformed',
    (): Buffer => rawPost('track', text, { 'content-length': '-1' }),
  ],
  [
    'a length and chunks',
    400,
    'error.request.malformed',
    (): Buffer => rawPost('track', text, { 'transfer-encoding': 'chunked' }),
  ],
  ['a broken chunk', 400, 'error.request.malformed', (): Buffer => rawPost('track', `zz\r\n${text}`, chunked)],
  ['no body in chunks', 400, 'error.request.malformed', (): Buffer => rawPost('track', '0\r\n\r\n', chunked)],
  [
    'chunks over the limit',
    413,
    'error.request.tooLarge',
    (): Buffer => rawPost('track', `3000\r\n${'x'.repeat(0x3000)}\r\n0\r\n\r\n`, chunked),
  ],
  [
    'headers of 20 KB',
    431,
    'error.request.headersTooLarge',
    (): Buffer => rawPost('track', text, { 'x-a': 'a'.repeat(20_000) }),
  ],
  [
    'a path of 20 KB',
    431,
    'error.request.headersTooLarge',
    (): string => `POST /${'a'.repeat(20_000)} HTTP/1.1\r\n\r\n`,
  ],
  ['no Host', 400, 'error.request.malformed', (): Buffer => rawPost('track', text, { host: '' })],
  ['two Hosts', 400, 'error.request.malformed', (): Buffer => rawPost('track', text, { Host: 'other' })],
  ['an invalid Host', 400, 'error.request.malformed', (): Buffer => rawPost('track', text, { host: 'a b/@' })],
  [
    'a transfer coding that is unknown',
    400,
    'error.request.malformed',
    (): Buffer => rawPost('track', '0\r\n\r\n', { ...chunked, 'transfer-encoding': 'gzip, chunked' }),
  ],
  ['HTTP/2.0', 400, 'error.request.malformed', (): Buffer => rawPost('track', text, {}, 'HTTP/2.0')],
  ['HTTP/0.9', 400, 'error.request.malformed', (): string => 'GET /health/ready\r\n\r\n'],
  [
    'an unknown expectation',
    417,
    'error.request.expectationFailed',
    (): Buffer => rawPost('track', text, { expect: 'x' }),
  ],
] as const)('answers %s with %d and an array of problems', async (_, status, message, request) => {
  const [answer] = await exchange(request());
  expect(answer?.status).toBe(status);
  // An error of a body that was read says why in a second entry.
  const [first] = JSON.parse(answer?.body ?? '') as object[];
  expect([first]).toEqual(makeProblems(message));
  expectFixedHeaders(answer?.headers ?? {});
});

it.each([
  ['HTTP/1.0', (): Buffer => rawPost('track', text, {}, 'HTTP/1.0')],
  ['chunks', (): Buffer => rawPost('track', `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`, chunked)],
] as const)('accepts a request with %s', async (_, request) => {
  const [answer] = await exchange(request());
  expect([answer?.status, answer?.body]).toEqual([200, '{"status":"QUEUED"}']);
});

it('sends 100 Continue to a client that waits for it', async () => {
  const socket = await connectToGateway();
  const request = rawPost('track', text, { expect: '100-continue' });
  socket.write(request.subarray(0, request.length - text.length));
  expect((await readAnswers(socket, 1))[0]?.status).toBe(100);
  socket.write(text);
  expect((await readAnswers(socket, 1))[0]?.status).toBe(200);
  socket.destroy();
});

it('answers pipelined requests in order and continues after a refused one', async () => {
  const refused = rawPost('track', text, { authorization: '' });
  const large = rawPost('track', 'x'.repeat(9_000));
  const answers = await exchange(Buffer.concat([rawPost('track', text), refused, large, rawPost('track', text)]), {
    answers: 4,
  });
  expect(answers.map(({ status }) => status)).toEqual([200, 401, 413, 200]);
  expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(4);
});

it('a body cut off by its Content-Length is refused', async () => {
  const [answer] = await exchange(rawPost('track', `{"userId":"u","event":"e"}`, { 'content-length': '10' }));
  expect(answer?.status).toBe(400);
});

it('slow headers and slow bodies are answered with 408 while others are served as usual', async () => {
  const slow = async (bytes: Buffer) => {
    const socket = await connectToGateway();
    socket.write(bytes);
    const [answer] = await readAnswers(socket, 1, 20_000);
    socket.destroy();
    return answer;
  };
  const body = rawPost('track', text, { 'content-length': '500' });
  const slowOnes = Array.from({ length: 200 }, (_, i) => slow(i % 2 === 0 ? body.subarray(0, 20) : body));

  const timesMs: number[] = [];
  for (let i = 0; i < 100; i++) {
    const started = performance.now();
    expect((await exchange(rawPost('track', text)))[0]?.status).toBe(200);
    timesMs.push(performance.now() - started);
  }
  // Far below the time of the slow requests, even on a slow machine.
  expect(timesMs.sort((a, b) => a - b)[50]).toBeLessThan(500);

  for (const answer of await Promise.all(slowOnes)) {
    expect(answer?.status).toBe(408);
    expect(JSON.parse(answer?.body ?? '')).toEqual(makeProblems('error.request.timedOut'));
    expectFixedHeaders(answer?.headers ?? {});
  }
  expect((await fetch(`${local().gateway.url}/health/ready`)).status).toBe(200);
});
