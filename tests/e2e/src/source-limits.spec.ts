import { eventually } from '@sluice/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from './gateway-process.js';
import { operator, post, type SourceCredentials, sync } from './stack.js';

const createSource = (type: string): Promise<SourceCredentials> =>
  operator<SourceCredentials>('sources', 'create', '--name', `Limits ${type}`, '--type', type);
const limit = (source: SourceCredentials, ...limits: string[]) =>
  operator('sources', 'limit', source.sourceIdentifier, ...limits);

const event = { userId: 'u', event: 'limited' };
const batch = (events: number) => ({ list: Array.from({ length: events }, () => event) });

/** Posts an event to the given gateway instead of the stack's. */
async function postTo({ url }: GatewayProcess, { sourceIdentifier, apiKey }: SourceCredentials): Promise<Response> {
  return fetch(`${url}/api/tracker/sdk/${sourceIdentifier}/track`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify(event),
  });
}

async function readMetric({ managementUrl }: GatewayProcess, metric: string): Promise<number> {
  const text = await (await fetch(`${managementUrl}/metrics`)).text();
  const line = text.split('\n').find((candidate) => candidate.startsWith(metric));
  return Number(line?.split(' ').at(-1) ?? 0);
}

const gateways: GatewayProcess[] = [];
beforeAll(async () => {
  gateways.push(await startGatewayProcess({}), await startGatewayProcess({}));
});
afterAll(() => Promise.all(gateways.map((gateway) => gateway.stop())));

it.each(['web-sdk', 'android-sdk', 'ios-sdk'])('a key of a %s source can only track and identify', async (type) => {
  const source = await createSource(type);
  await eventually(async () => {
    expect((await post('track', event, { source })).status).toBe(200);
  });
  expect((await post('identify', { userId: 'u', traits: {} }, { source })).status).toBe(200);
  const { status, body } = await sync('general', { id: 'x' }, { source });
  expect([status, body]).toEqual([403, [{ field: '', message: 'error.sdk.source.forbidden' }]]);
});

it.each(['tracking-api', 'catalog-api'])('a key of a %s source can use every API', async (type) => {
  const source = await createSource(type);
  await eventually(async () => {
    expect((await post('track', event, { source })).status).toBe(200);
  });
  expect((await sync('general', { id: 'x' }, { source })).status).toBe(200);
});

it("a source's own rate and burst override the global ones and change at run time", async () => {
  const source = await createSource('tracking-api');
  await limit(source, '--rate-per-second', '0.5', '--burst', '3');
  await eventually(async () => {
    expect((await post('track', event, { source })).status).toBe(429);
  });
  await sleep(6_500); // lets the burst refill
  const answers = await Promise.all(Array.from({ length: 6 }, () => post('track', event, { source })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.body).toEqual([{ field: '', message: 'error.request.rateLimited' }]);
  expect(Number(refused?.headers.get('retry-after'))).toBeLessThanOrEqual(2);

  await limit(source, '--rate-per-second', 'none', '--burst', 'none');
  await eventually(async () => {
    const free = await Promise.all(Array.from({ length: 10 }, () => post('track', event, { source })));
    expect(free.every(({ status }) => status === 200)).toBe(true);
  });
});

it('a daily quota counts messages, and Retry-After is the time until midnight', async () => {
  const source = await createSource('tracking-api');
  await limit(source, '--daily-quota', '50');
  await eventually(async () => {
    expect((await post('trackBatch?validate=only', batch(50), { source })).status).toBe(200);
  });
  await sleep(1_500); // lets the gateway learn the limit
  expect((await post('trackBatch', batch(49), { source })).status).toBe(200);
  expect((await post('track', event, { source })).status).toBe(200);

  const { status, body, headers } = await post('track', event, { source });
  expect([status, body]).toEqual([429, [{ field: '', message: 'error.request.quotaExceeded' }]]);
  const untilMidnight = 86_400 - ((Date.now() / 1_000) % 86_400);
  expect(Math.abs(Number(headers.get('retry-after')) - untilMidnight)).toBeLessThan(10);
});

it('requests that arrive at once do not exceed a daily quota', async () => {
  const source = await createSource('tracking-api');
  await limit(source, '--daily-quota', '100');
  await eventually(async () => {
    expect((await post('trackBatch?validate=only', batch(10), { source })).status).toBe(200);
  });
  await sleep(1_500); // lets the gateway learn the limit
  const answers = await Promise.all(Array.from({ length: 60 }, () => post('trackBatch', batch(10), { source })));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBe(10);
  expect(statuses.filter((status) => status === 429).length).toBe(50);
});

it('gateways share the usage of a source, and a gateway that starts later learns it', async () => {
  const [first, second] = gateways;
  if (!first || !second) throw new Error('two gateways are needed');
  const source = await createSource('tracking-api');
  await limit(source, '--daily-quota', '5');
  await eventually(async () => {
    expect((await postTo(first, source)).status).toBe(200);
  });
  await eventually(async () => {
    expect((await postTo(first, source)).status).toBe(429);
  });
  await eventually(async () => {
    const answer = await postTo(second, source);
    expect([answer.status, await answer.json()]).toEqual([
      429,
      [{ field: '', message: 'error.request.quotaExceeded' }],
    ]);
  });

  const late = await startGatewayProcess({});
  gateways.push(late);
  await eventually(async () => {
    expect((await postTo(late, source)).status).toBe(429);
  });

  const labels = `{source="${source.sourceIdentifier}"`;
  const counts = await Promise.all(
    gateways.map((gateway) => readMetric(gateway, `sluice_gateway_source_messages_total${labels}`)),
  );
  const [ofFirst = 0] = counts;
  expect(ofFirst).toBeGreaterThanOrEqual(5);
  const refusedBy = `sluice_gateway_source_refused_total${labels},reason="error.request.quotaExceeded"`;
  expect(await readMetric(late, refusedBy)).toBeGreaterThan(0);
});
