import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { deviceTopic } from '@sluice/contracts';
import { createKafka, DeadLetterBox } from '@sluice/kafka';
import { freePort } from '@sluice/testing';
import { type SystemReport } from '@sluice/operations';
import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest';
import { runCommandLine } from '../run-command-line.js';

const database = `status_${randomUUID().replaceAll('-', '')}`;

beforeEach(() => {
  vi.stubEnv('SLUICE_DATA_DIR', '/no/such/folder');
  vi.stubEnv('KAFKA_BROKERS', inject('kafkaBrokers').join(','));
  vi.stubEnv('CLICKHOUSE_URL', inject('clickhouseUrl'));
  vi.stubEnv('CLICKHOUSE_DATABASE', database);
});
let server: Server | undefined;
afterEach(() => {
  vi.unstubAllEnvs();
  server?.close();
});

async function operator(...args: string[]) {
  const output = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((chunk) => {
      output[stream] += String(chunk);
      return true;
    }),
  );
  try {
    return { exitCode: await runCommandLine(args), ...output };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
async function report(...args: string[]): Promise<SystemReport> {
  const { exitCode, stdout, stderr } = await operator('status', ...args, '--json');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as SystemReport;
}

it('names pending migrations, and says when all are applied', async () => {
  const before = await report();
  expect(before.migrations).toMatchObject({ verdict: 'attention', applied: 0 });
  expect(before.migrations.pending).toContain('tracking/0001-events');

  await operator('migrate');

  const after = await report();
  expect(after.migrations).toMatchObject({ verdict: 'ok', pending: [], changed: [], differences: [] });
  expect(after.kafka).toMatchObject({ verdict: 'ok' });
  expect(after.clickhouse).toMatchObject({ verdict: 'ok', version: expect.stringMatching(/^\d+\.\d+/) as string });
  expect(after.clickhouse.tables).toContainEqual({
    table: 'events',
    rows: 0,
    newestReceived: null,
    newestStored: null,
  });
  expect(after.data.topics).toContainEqual(expect.objectContaining({ topic: 'tracking.track.v1', retentionDays: 7 }));
});

it('names a view that is missing, which migrate makes again', async () => {
  await operator('migrate');
  await fetch(inject('clickhouseUrl'), { method: 'POST', body: `DROP VIEW ${database}.sessions` });
  const { migrations } = await report();
  expect(migrations).toMatchObject({ verdict: 'attention', differences: ['sessions: missing view'] });
  expect(migrations.summary).toMatch(/^all \d+ applied, but sessions: missing view: operator migrate$/);
  expect((await operator('status')).stdout).toContain('sessions: missing view');

  expect((await operator('migrate', '--plan')).stdout).toMatch(/would repair +sessions: missing view/);
  expect((await operator('migrate')).stdout).toMatch(/repaired +sessions: missing view/);
  expect((await report()).migrations).toMatchObject({ verdict: 'ok', differences: [] });
});

it('shows dead letters with their reasons, and waiting data', async () => {
  await operator('migrate');
  const reason = `refused by ${randomUUID()}`;
  await bury(reason);

  const { deadLetters, data } = await report('--late-after', '0.001');

  const letters = deadLetters.topics.find(({ topic }) => topic === deviceTopic.name);
  expect(letters?.reasons).toContainEqual({ reason, letters: 1 });
  expect(deadLetters.verdict).toBe('attention');
  expect(data.verdict).toBe('late');
  const topic = data.topics.find((topicStatus) => topicStatus.topic === deviceTopic.name);
  expect(topic?.lag).toBeGreaterThan(0);
  expect(Date.parse(topic?.lateSince ?? '')).toBeLessThanOrEqual(Date.now());

  const { stdout } = await operator('status');
  expect(stdout).toContain(reason.slice(0, 20));
  expect(stdout).toMatch(/data +(LATE|ATTENTION|ok)/);
});

/** Writes one letter, and replays its message into its topic, where no consumer stores it. */
async function bury(reason: string): Promise<void> {
  const kafka = createKafka({ KAFKA_BROKERS: inject('kafkaBrokers') }, 'test');
  const producer = kafka.producer();
  await producer.connect();
  const headers = {
    'dead-letter-reason': reason,
    'dead-letter-topic': deviceTopic.name,
    'dead-letter-partition': '0',
    'dead-letter-offset': '7',
    'dead-letter-timestamp': String(Date.now()),
  };
  await producer.send({ topic: `${deviceTopic.name}.dlq`, messages: [{ value: 'x', headers }] });
  await producer.disconnect();
  const box = new DeadLetterBox(kafka);
  await box.replay(await box.read({ topics: [deviceTopic.name], limit: 1 }));
}

it('says that Kafka is unavailable, and shows the rest', async () => {
  vi.stubEnv('KAFKA_BROKERS', `127.0.0.1:${await freePort()}`);

  const { kafka, data, deadLetters, clickhouse } = await report();

  expect(kafka.verdict).toBe('unreachable');
  expect(kafka.summary).toContain('ECONNREFUSED');
  expect([data.verdict, deadLetters.verdict]).toEqual(['unknown', 'unknown']);
  expect(clickhouse.version).not.toBeNull();
});

it('says that ClickHouse is unavailable, and shows the rest', async () => {
  vi.stubEnv('CLICKHOUSE_URL', `http://127.0.0.1:${await freePort()}`);

  const { kafka, clickhouse, migrations } = await report();

  expect(clickhouse.verdict).toBe('unreachable');
  expect(clickhouse.summary).toContain('ECONNREFUSED');
  expect(migrations.verdict).toBe('unknown');
  expect(kafka.brokers).toBeGreaterThan(0);
});

it('asks gateways for their spools and refusals', async () => {
  const url = await serving(
    [
      'sluice_build_info{app="gateway",version="1.2.3",node="24"} 1',
      'sluice_spool_messages 7',
      'sluice_spool_oldest_age_seconds 90',
      'sluice_spool_refused_messages 2',
      'sluice_spool_damaged_messages 1',
      'sluice_gateway_requests_total{status="401"} 2',
      'sluice_gateway_requests_total{status="200"} 8',
      'sluice_gateway_refused_total{reason="error.sdk.authorization.failed"} 2',
    ].join('\n'),
  );

  const { gateways } = await report('--gateway', url);
  expect(gateways.verdict).toBe('late');
  expect(gateways.gateways).toMatchObject([
    {
      version: '1.2.3',
      spoolMessages: 7,
      spoolRefused: 3,
      requests: 10,
      refused: [{ reason: 'error.sdk.authorization.failed', requests: 2 }],
    },
  ]);

  const { gateways: two } = await report('--gateway', url, `http://127.0.0.1:${await freePort()}/metrics`);
  expect(two.verdict).toBe('unreachable');
  expect(two.summary).toContain('ECONNREFUSED');

  const checked = await operator('status', '--gateway', url, '--check');
  expect(checked.exitCode).toBe(1);
  expect(checked.stdout).toContain('2 of 10 requests refused');
  expect(checked.stderr).toMatch(/^error: not all is well: .*gateways late/);
});

it("names a stuck partition with its consumer's reason", async () => {
  await operator('migrate');
  const url = await serving(
    'sluice_consumer_stuck_seconds{topic="push.device.v1",partition="3",what="block",code="UNKNOWN_TABLE"} 75\n' +
      'sluice_consumer_stuck_seconds{topic="rtb.ad.v1",partition="1",what="block",code="ECONNREFUSED",shard="b"} 90\n',
  );

  const { consumers } = await report('--consumer', url);
  expect(consumers).toMatchObject({
    verdict: 'late',
    summary:
      'rtb.ad.v1, partition 1, is stuck for 1 min 30 s: the INSERT fails with ECONNREFUSED at shard b; 1 other partition is stuck too',
    consumers: [{ stuck: [{ topic: 'rtb.ad.v1' }, { topic: 'push.device.v1', code: 'UNKNOWN_TABLE' }] }],
  });
  const { stdout } = await operator('status', '--consumer', url);
  expect(stdout).toContain(
    'rtb.ad.v1, partition 1, is stuck for 1 min 30 s: the INSERT fails with ECONNREFUSED at shard b',
  );
});

async function serving(text: string): Promise<string> {
  server = createServer((_request, response) => response.end(text));
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
}
