import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKafka } from '@sluice/kafka';
import { SourceReader, SourceWriter } from '@sluice/sources';
import { eventually, freePort, prepareKafka, ServerProcess } from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.js';

// Runs the built gateway (npm run build) with its own Kafka, which stops and comes back.

let folder: string;
let brokers: string[];
let kafka: ServerProcess;
let gateway: GatewayProcess | undefined;

async function startBroker(): Promise<void> {
  kafka = await ServerProcess.spawn(kafka.spec);
  await kafka.untilReady(90_000);
}

const startGateway = async (until: 'ready' | 'open') => {
  gateway = await startGatewayProcess(
    { KAFKA_BROKERS: brokers.join(','), TOPIC_PARTITIONS: '2', GATEWAY_DATA_DIR: join(folder, 'gateway') },
    until,
  );
};

const track = (sourceIdentifier: string, apiKey?: string) =>
  fetch(`${gateway?.url}/api/tracker/sdk/${sourceIdentifier}/track`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
    body: '{"userId":"u","event":"e"}',
  });
const readStatus = async (...credentials: Parameters<typeof track>) => (await track(...credentials)).status;
const readiness = async () => (await fetch(`${gateway?.managementUrl}/health/ready`)).status;

/** Calls `work` with a writer of the registry like the operator's. */
async function asOperator<T>(work: (writer: SourceWriter) => Promise<T>): Promise<T> {
  const client = createKafka({ KAFKA_BROKERS: brokers }, 'test');
  const reader = new SourceReader(client);
  // A broker that has just come back may not yet lead its partitions.
  await reader.follow();
  await eventually(() => expect(reader.isComplete).toBe(true), 90_000);
  try {
    return await work(new SourceWriter(client, reader.registry));
  } finally {
    await reader.stop();
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-without-kafka-'));
  const prepared = await prepareKafka({ dataDir: join(folder, 'kafka'), ports: [await freePort()], heapMb: 256 });
  brokers = prepared.brokers;
  const [spec] = prepared.servers;
  if (!spec) throw new Error('no broker was prepared');
  kafka = await ServerProcess.spawn(spec);
  await kafka.stop(0);
});
afterAll(async () => {
  await gateway?.stop('SIGKILL');
  await kafka.stop(0);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

it('starts without Kafka and authenticates with the sources that it knew', async () => {
  // No source is known yet: clients are asked to retry; no answer says that their source or key is wrong.
  await startGateway('open');
  for (const answer of [await track('AbCdEf123456', 'key'), await track('short', 'key'), await track('AbCdEf123456')]) {
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect(await readiness()).toBe(503);

  await startBroker();
  await eventually(async () => {
    expect(await readiness()).toBe(200);
  }, 90_000);
  const { source, key, apiKey } = await asOperator((writer) => writer.create({ name: 'Shop', type: 'web-sdk' }));
  const second = await asOperator((writer) => writer.rotateKey(source.sourceIdentifier));
  await eventually(async () => {
    expect(await readStatus(source.sourceIdentifier, second.apiKey)).toBe(200);
  }, 90_000);
  expect(await gateway?.stop()).toBe(0);

  await kafka.stop(0);
  const startedAt = Date.now();
  await startGateway('open');
  expect(Date.now() - startedAt).toBeLessThan(20_000);
  expect(await readStatus(source.sourceIdentifier, 'wrong')).toBe(401);
  expect(await readStatus('unknown00000', apiKey)).toBe(404);
  expect(await readStatus(source.sourceIdentifier, apiKey)).toBe(200);

  // The gateway follows the registry again by itself: a key revoked after Kafka came back is refused.
  await startBroker();
  await eventually(async () => {
    expect(await readStatus(source.sourceIdentifier, apiKey)).toBe(200);
  }, 90_000);
  await asOperator((writer) => writer.revokeKey(source.sourceIdentifier, key.keyId));
  await eventually(async () => {
    expect(await readStatus(source.sourceIdentifier, apiKey)).toBe(401);
  }, 90_000);
  expect(await readStatus(source.sourceIdentifier, second.apiKey)).toBe(200);
}, 240_000);
