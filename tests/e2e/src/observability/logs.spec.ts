import { eventually } from '@sluice/testing';
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.js';
import { local } from '../stack.js';

const secret = `hidden-${randomUUID()}`;

let gateway: GatewayProcess;
beforeAll(async () => {
  // The gateway logs everything and has places for two requests.
  gateway = await startGatewayProcess({
    LOG_LEVEL: 'trace',
    GATEWAY_MAX_REQUESTS_IN_WORK: '2',
    KEYLESS_MAX_REQUESTS_IN_WORK: '1',
  });
});
afterAll(() => gateway.stop());

const lines = (): Record<string, unknown>[] =>
  gateway
    .output()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const track = (): string => `${gateway.url}/api/tracker/sdk/${local().source.sourceIdentifier}/track`;
const post = (url: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${local().source.apiKey}`, ...headers },
  });

it('never logs a body, a key or a token', async () => {
  const event = { userId: 'u', event: 'e', properties: { [secret]: secret } };
  const sent = [
    [JSON.stringify(event)],
    [JSON.stringify({ ...event, event: `${secret} !` })],
    [`{"userId": "${secret}`],
    [secret],
    [`[${secret}]`],
    [JSON.stringify({ ...event, properties: { x: secret.repeat(1_000) } })],
    [JSON.stringify(event), { authorization: `Bearer ${secret}` }],
    [JSON.stringify(event), { 'content-encoding': secret }],
    [JSON.stringify(event), { 'content-type': `application/json; x=${secret}` }],
    [JSON.stringify(event), { 'idempotency-key': secret, traceparent: secret, prefer: secret }],
  ] as const;
  for (const [body, headers] of sent) await post(track(), body, headers);
  for (const path of [
    `api/tracker/general/click?token=${secret}&url=${secret}`,
    secret,
    `%${secret}`,
    `api/rtb/${secret}`,
  ])
    await fetch(`${gateway.url}/${path}`);
  await post(`${gateway.url}/api/rtb/ad`, JSON.stringify({ sourceIdentifier: secret, [secret]: secret }));
  await post(`${gateway.url}/api/tracker/sdk/${secret}/track`, JSON.stringify(event));

  expect(lines()).not.toEqual([]);
  expect(gateway.output()).not.toContain(secret);
  expect(gateway.output()).not.toContain(local().source.apiKey);
});

it('logs every request that found no place, with the ids of its answer and of its trace', async () => {
  // Sends more requests at once than there are places.
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  const headers = { traceparent: `00-${traceId}-${spanId}-01` };
  const burst = () =>
    Array.from({ length: 50 }, () => post(track(), JSON.stringify({ userId: 'u', event: 'e' }), headers));
  const refused = await eventually(async () => {
    const answer = (await Promise.all(burst())).find(({ status }) => status === 503);
    if (!answer) throw new Error('all were taken');
    return answer;
  });

  const requestId = refused.headers.get('x-request-id');
  await eventually(() =>
    expect(lines()).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        requestId,
        trace_id: traceId,
        status: 503,
        route: '/api/tracker/sdk/:sourceIdentifier/track',
      }),
    ),
  );
});
