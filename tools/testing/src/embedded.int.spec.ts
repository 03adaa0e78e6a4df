import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { startClickHouse } from './clickhouse/start-clickhouse.js';
import { brokerAnswers } from './kafka/api-versions.js';
import { startKafka } from './kafka/start-kafka.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function query(url: string, sql: string): Promise<string> {
  const response = await fetch(url, { method: 'POST', body: sql });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text.trim();
}

const parsePort = (broker = ''): number => Number(broker.split(':')[1]);

test("the test run's Kafka and ClickHouse answer", async () => {
  expect(await brokerAnswers(parsePort(inject('kafkaBrokers')[0]))).toBe(true);
  expect(await query(inject('clickhouseUrl'), 'SELECT 1')).toBe('1');
});

test('ClickHouse keeps its tables after a restart', async () => {
  const dataDir = join(folder, 'clickhouse');
  const first = await startClickHouse({ dataDir });
  await query(first.url, 'CREATE DATABASE kept');
  await query(first.url, 'CREATE TABLE kept.numbers (n UInt8) ENGINE = MergeTree ORDER BY n');
  await query(first.url, 'INSERT INTO kept.numbers VALUES (42)');
  await first.stop();

  const second = await startClickHouse({ dataDir });
  expect(await query(second.url, 'SELECT n FROM kept.numbers')).toBe('42');
  await second.stop();
});

test('ClickHouse ignores failed writes, which is why test:thousand leaves some room on a full disk', async () => {
  const insertion = query(
    inject('clickhouseUrl'),
    `INSERT INTO FUNCTION file('/dev/full', 'TSV', 'n UInt8') VALUES (1)`,
  );

  await expect(insertion).resolves.toBe('');
});

test('Kafka restarts with its data on another port', async () => {
  const dataDir = join(folder, 'kafka');
  const first = await startKafka({ dataDir });
  await first.stop();
  expect(await brokerAnswers(parsePort(first.brokers[0]))).toBe(false);

  const second = await startKafka({ dataDir });
  expect(await brokerAnswers(parsePort(second.brokers[0]))).toBe(true);
  await second.stop();
});

test('three brokers form a cluster', { timeout: 60_000 }, async () => {
  const cluster = await startKafka({ dataDir: join(folder, 'cluster'), brokers: 3 });

  expect(cluster.pids).toHaveLength(3);
  expect(await Promise.all(cluster.brokers.map((broker) => brokerAnswers(parsePort(broker))))).toEqual([
    true,
    true,
    true,
  ]);
  await cluster.stop();
});

test('a server does not start on a port that another one uses', async () => {
  const port = Number(new URL(inject('clickhouseUrl')).port);
  const start = startClickHouse({ dataDir: join(folder, 'taken'), port });

  await expect(start).rejects.toThrow(`port ${port} is taken`);
});
