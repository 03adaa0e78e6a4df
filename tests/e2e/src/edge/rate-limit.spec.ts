import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exchange, rawPost } from '../raw-http.js';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.js';
import { expectFixedHeaders, makeProblems, text } from './edge-request.js';

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({ SOURCE_RATE_LIMIT_PER_SECOND: '1' });
});
afterAll(() => gateway.stop());

it('a source over its rate is answered with 429, and accepted again after Retry-After', async () => {
  const send = async (headers = {}) => (await exchange(rawPost('track', text, headers), { url: gateway.url }))[0];
  // Requests without the key do not count against the source.
  for (let i = 0; i < 5; i++) expect((await send({ authorization: 'Bearer wrong' }))?.status).toBe(401);

  const answers = await Promise.all(Array.from({ length: 10 }, () => send()));
  const refused = answers.find((answer) => answer?.status === 429);
  expect(answers.some((answer) => answer?.status === 200)).toBe(true);
  expect(JSON.parse(refused?.body ?? '')).toEqual(makeProblems('error.request.rateLimited'));
  expectFixedHeaders(refused?.headers ?? {});

  const retryAfter = Number(refused?.headers['retry-after']);
  expect(retryAfter).toBe(1);
  await sleep(retryAfter * 1_000);
  expect((await send())?.status).toBe(200);
});
