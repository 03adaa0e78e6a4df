import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKafka } from '@sluice/kafka';
import { ensureSourcesTopic, SourceRegistry, SourceWriter } from '@sluice/sources';
import { type RunningKafka, startKafka } from '@sluice/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.js';

// Overloads the built gateway (npm run build): small requests are still served and memory stays level.

const largest = 819_200;
const seconds = Number(process.env['OVERLOAD_SECONDS'] ?? 15);
let folder: string;
let kafka: RunningKafka;
let credentials: { sourceIdentifier: string; apiKey: string };
let gateway: GatewayProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-overload-'));
  kafka = await startKafka({ dataDir: join(folder, 'kafka') });
  const config = { KAFKA_BROKERS: kafka.brokers, TOPIC_PARTITIONS: 6, TOPIC_REPLICATION_FACTOR: 1 };
  const client = createKafka(config, 'overload');
  await ensureSourcesTopic(client, config);
  const writer = new SourceWriter(client, new SourceRegistry());
  const { source, apiKey } = await writer.create({ name: 'overload', type: 'tracking-api' });
  credentials = { sourceIdentifier: source.sourceIdentifier, apiKey };
}, 120_000);
afterEach(() => gateway.stop());
afterAll(async () => {
  await kafka.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

const start = async (settings: Record<string, string> = {}) => {
  gateway = await startGatewayProcess({ KAFKA_BROKERS: kafka.brokers.join(','), TOPIC_PARTITIONS: '6', ...settings });
};

/** A batch of a hundred events, close to the size limit. */
function fullBatch(properties: (room: number) => Record<string, unknown>): Buffer {
  const room = Math.floor(largest / 100) - 80;
  const item = { userId: 'u', event: 'e', properties: properties(room) };
  const body = Buffer.from(JSON.stringify({ list: Array<unknown>(100).fill(item) }));
  if (body.length > largest || body.length < largest * 0.9) throw new Error(`the batch has ${body.length} bytes`);
  return body;
}

const makeNames = (room: number, bytesEach: number, name: (i: number) => string, value: unknown) =>
  Object.fromEntries(Array.from({ length: Math.floor(room / bytesEach) }, (_, i) => [name(i), value]));

const batches = {
  'maximal batches': fullBatch((room) => ({ text: 'x'.repeat(4_000), more: 'y'.repeat(room - 4_050) })),
  'batches of many properties': fullBatch((room) =>
    makeNames(Math.min(room, 250 * 31), 31, (i) => `p${i + 100}`, 'x'.repeat(22)),
  ),
  'batches of invalid names': fullBatch((room) => makeNames(room, 11, (i) => `é${i + 1000}`, 1)),
};

function send(agent: Agent, endpoint: string, body: Buffer | string): Promise<{ status: number; ms: number }> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const finish = (status = 0): void => resolve({ status, ms: performance.now() - startedAt });
    const sent = request(`${gateway.url}/api/tracker/sdk/${credentials.sourceIdentifier}/${endpoint}`, {
      method: 'POST',
      agent,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${credentials.apiKey}`,
        'content-length': Buffer.byteLength(body),
      },
    });
    sent.once('response', (response) => {
      response.resume().once('end', () => finish(response.statusCode));
    });
    sent.once('error', () => finish());
    sent.end(body);
  });
}

interface Flow {
  latencies: number[];
  statuses: Map<number, number>;
}

/** Sends over `connections` connections, each request right after the last answer, or a moment after a 503. */
async function flow(connections: number, endpoint: string, body: Buffer | string, until: () => boolean): Promise<Flow> {
  const flow: Flow = { latencies: [], statuses: new Map() };
  const sendUntilOver = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!until()) {
      const { status, ms } = await send(agent, endpoint, body);
      flow.latencies.push(ms);
      flow.statuses.set(status, (flow.statuses.get(status) ?? 0) + 1);
      if (status === 503 || status === 0) await sleep(20);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: connections }, sendUntilOver));
  return flow;
}

function quantile(values: number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.floor(q * (sorted.length - 1))] ?? NaN);
}

const single = '{"userId":"u","event":"e","properties":{"total":49.9}}';
const describeFlow = ({ latencies, statuses }: Flow): string =>
  `${latencies.length} in ${seconds} s, p50 ${quantile(latencies, 0.5)} ms, p99 ${quantile(latencies, 0.99)} ms, ${[...statuses].map(([status, n]) => `${status}: ${n}`).join(', ')}`;

it('single requests are served next to 32 connections with the largest and worst bodies', async () => {
  await start();
  const within = (s: number) => {
    const end = Date.now() + s * 1_000;
    return () => Date.now() > end;
  };
  await flow(4, 'track', single, within(3));
  console.log(`alone: ${describeFlow(await flow(4, 'track', single, within(seconds)))}`);
  for (const [name, body] of Object.entries(batches)) {
    const until = within(seconds);
    const [singles, large] = await Promise.all([flow(4, 'track', single, until), flow(32, 'trackBatch', body, until)]);
    console.log(`next to 32 of ${name}: ${describeFlow(singles)}; those: ${describeFlow(large)}`);
    expect([...singles.statuses.keys()]).toEqual([200]);
    expect(quantile(singles.latencies, 0.99)).toBeLessThan(2_000);
  }
}, 300_000);

it('memory stays level under a constant overload', async () => {
  await start({
    GATEWAY_MAX_REQUESTS_IN_WORK: '100',
    KEYLESS_MAX_REQUESTS_IN_WORK: '20',
    GATEWAY_MAX_BODY_BYTES_IN_WORK: String(8 * 1024 * 1024),
  });
  const rss = (): number =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8'))?.[1]) / 1024;
  const samples: number[] = [];
  const end = Date.now() + seconds * 8_000;
  const until = () => Date.now() > end;
  const sampling = (async () => {
    while (!until()) {
      samples.push(Math.round(rss()));
      await sleep((seconds * 8_000) / 48);
    }
  })();
  const [singles, large] = await Promise.all([
    flow(200, 'track', single, until),
    flow(64, 'trackBatch', batches['maximal batches'], until),
    sampling,
  ]);
  console.log(`RSS in MiB: ${samples.join(' ')}`);
  console.log(`singles: ${describeFlow(singles)}; batches: ${describeFlow(large)}`);
  const mean = (from: number, to: number) => {
    const samplesOfPart = samples.slice(from * samples.length, to * samples.length);
    return samplesOfPart.reduce((sum, sample) => sum + sample, 0) / samplesOfPart.length;
  };
  // Memory does not grow after the first quarter, which warms up.
  expect(mean(3 / 4, 1)).toBeLessThan(mean(1 / 4, 1 / 2) * 1.05);
  expect(large.statuses.get(503) ?? 0).toBeGreaterThan(0);
  expect([...singles.statuses.keys(), ...large.statuses.keys()]).not.toContain(0);
}, 600_000);
