import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, type ServerProcess } from '@sluice/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import {
  firstBroker,
  type FirstBroker,
  replicatedClickHouse,
  type ReplicatedClickHouse,
} from './unreachable-servers.js';
import { spawnConsumer } from './consumer-process.js';

// Starts the built tracking service (npm run build) again and again while one server or the other is unreachable.

/** A process that waits at its start stops at once; the margin is for a busy machine. */
const promptMs = 5_000;

let folder: string;
let database: string;
let clickhouse: ReplicatedClickHouse;
let kafka: FirstBroker;
let tracking: ServerProcess | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-start-'));
  database = `start_${randomUUID().replaceAll('-', '')}`;
});
beforeEach(async () => {
  clickhouse = await replicatedClickHouse(inject('clickhouseUrl'));
  kafka = await firstBroker(inject('kafkaBrokers')[0] ?? '');
});
afterEach(async () => {
  await tracking?.stop(0);
  await Promise.all([clickhouse.close(), kafka.close()]);
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

async function start(): Promise<void> {
  tracking = await spawnConsumer('tracking', {
    brokers: [`127.0.0.1:${kafka.port}`],
    clickhouseUrl: `http://127.0.0.1:${clickhouse.port}`,
    database,
    folder,
    // An installation of its own: other specs run consumers of the same name at the same time.
    settings: { TOPIC_PREFIX: `${database}.` },
  });
}

interface Health {
  status: number;
  details: Record<string, { status: string; message?: string }>;
}

async function readiness(): Promise<Health> {
  const answer = await fetch(`http://127.0.0.1:${tracking?.spec.port}/health/ready`);
  const { details } = (await answer.json()) as Pick<Health, 'details'>;
  return { status: answer.status, details };
}

const untilItWaitsFor = (server: string, reason: RegExp): Promise<void> =>
  eventually(async () => {
    const { status, details } = await readiness();
    expect([status, details[server]?.message]).toEqual([503, expect.stringMatching(reason)]);
  });

const untilReady = (): Promise<void> =>
  eventually(async () => {
    expect((await readiness()).status).toBe(200);
  });

/** Stops as a supervisor does. */
async function stop(): Promise<void> {
  const askedAt = performance.now();
  await tracking?.stop(promptMs);
  expect(await tracking?.ended).toBe('exit code 0');
  expect(performance.now() - askedAt).toBeLessThan(promptMs);
}

it('waits for an absent ClickHouse and an absent replica, then for a frozen Kafka, and ends at once when asked', async () => {
  kafka.isFrozen = true;
  await kafka.open();

  await start();
  await untilItWaitsFor('clickhouse', /ECONNREFUSED/);
  await stop();

  clickhouse.isReplicaDown = true;
  await clickhouse.open();
  await start();
  await untilItWaitsFor('clickhouse', /TIMEOUT_EXCEEDED/);

  clickhouse.isReplicaDown = false;
  await untilItWaitsFor('kafka', /waiting for kafka/);
  await stop();
}, 180_000);

it('needs no replica when no migration is pending, waits for an absent Kafka, and stays ready without ClickHouse', async () => {
  clickhouse.isReplicaDown = true;
  await clickhouse.open();

  await start();
  await untilItWaitsFor('kafka', /ECONNREFUSED/);
  await kafka.open();
  await untilReady();
  expect(clickhouse.changes).toEqual([]);

  await clickhouse.close();
  await eventually(async () => {
    const { status, details } = await readiness();
    expect([status, details['clickhouse']]).toEqual([200, expect.objectContaining({ answers: false })]);
  });
  await stop();
}, 180_000);
