import { type TestProject } from 'vitest/node';
import { startTestServers } from './test-servers.js';

/** Vitest's global setup: one Kafka and one ClickHouse per run. KAFKA_BROKERS and CLICKHOUSE_URL name running ones. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const brokers = process.env['KAFKA_BROKERS']?.split(',');
  const url = process.env['CLICKHOUSE_URL'];
  const servers = brokers && url ? undefined : await startTestServers();
  project.provide('kafkaBrokers', brokers ?? servers?.kafkaBrokers ?? []);
  project.provide('clickhouseUrl', url ?? servers?.clickhouseUrl ?? '');
  return async () => {
    await servers?.stop();
  };
}
