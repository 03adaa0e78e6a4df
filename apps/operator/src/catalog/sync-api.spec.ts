import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SyncApi } from './sync-api.js';

type Answer = [status: number, body: string, headers?: Record<string, string>];

let server: Server;
/** Answers of the server, in turn; the last one is repeated. */
let answers: Answer[];
let requests: number;

beforeEach(async () => {
  requests = 0;
  server = createServer((request, response) => {
    const [status, body, headers] = answers[Math.min(requests++, answers.length - 1)] ?? [500, ''];
    request.resume();
    response.writeHead(status, headers).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const records = (count: number) => Array.from({ length: count }, (_, i) => ({ line: i + 1, json: '{}', id: `${i}` }));
const sendAll = (count: number, timeoutMs = 5_000) =>
  new SyncApi({
    gatewayUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sourceIdentifier: 'A',
    apiKey: 'k',
    type: 'product',
    timeoutMs,
  }).send(records(count));
const send = async (timeoutMs?: number) => (await sendAll(1, timeoutMs))[0];
const html = '<html>\n<body>Of a proxy</body></html>';

it.each([
  ['a 503 from a proxy', [503, html]],
  ['a 503 with a body of another shape', [503, '{"error":"busy"}']],
  ['a 502 without a body', [502, '']],
  ['a 200 that is not from the gateway', [200, html]],
] as [string, Answer][])('retries after %s', async (_, answer) => {
  answers = [answer, [200, '{"status":"QUEUED"}']];
  expect(await send()).toEqual({ stored: true, problems: [] });
  expect(requests).toBe(2);
});

it.each(['Wed, 21 Oct 2026 07:28:00 GMT', 'soon', 'Infinity', '-5'])(
  'waits its usual pause when Retry-After is %s, then gives up',
  async (retryAfter) => {
    answers = [[503, html, { 'retry-after': retryAfter }]];
    await expect(send(700)).rejects.toThrow('cannot be used: 503 <html> <body>Of a proxy</body></html>');
    expect(requests).toBeLessThanOrEqual(2);
  },
);

it.each([
  [413, html, `413 <html> <body>Of a proxy</body></html>`],
  [403, '', '403'],
  [400, '[]', '400 []'],
  [400, '{"error":"x"}', '400 {"error":"x"}'],
])('reports a %i with an unknown body as refused, with its status', async (status, body, message) => {
  answers = [[status, body]];
  expect(await send()).toEqual({ stored: false, problems: [{ field: '', message }] });
});

it('ends at a 404 from a proxy', async () => {
  answers = [[404, html]];
  await expect(send()).rejects.toThrow('refuses source or key: 404 <html>');
  expect(requests).toBe(1);
});

it('sends a batch in halves when its answer does not say what became of each record', async () => {
  const more = { field: '', message: 'and 7 more' };
  const problem = (index: number) => ({ field: `list[${index}].name`, message: 'is missing' });
  answers = [
    [200, JSON.stringify({ status: 'QUEUED', rejected: [problem(0), more] })],
    [200, JSON.stringify({ status: 'QUEUED', rejected: [problem(1)], dropped: [problem(0)] })],
    [400, JSON.stringify([problem(0), problem(1), problem(1)])],
  ];
  const problems = [{ field: 'name', message: 'is missing' }];
  expect(await sendAll(4)).toEqual([
    { stored: true, problems },
    { stored: false, problems },
    { stored: false, problems },
    { stored: false, problems: [...problems, ...problems] },
  ]);
  expect(requests).toBe(3);
});

it('a batch that is refused although only some of its records are bad is sent in parts', async () => {
  answers = [
    [400, '[{"field":"list[1].name","message":"is missing"}]'],
    [200, '{"status":"QUEUED"}'],
    [400, '[{"field":"name","message":"is missing"}]'],
  ];
  expect((await sendAll(2)).map(({ stored }) => stored)).toEqual([true, false]);
});
