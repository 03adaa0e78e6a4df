import { type TestProject } from 'vitest/node';
import { type RunningServers } from './running-servers.js';
import { startTestServers } from './test-servers.js';

/** The servers of the run. Each project loads this module for itself. */
const run = globalThis as { testServers?: Promise<RunningServers> };

/** Vitest's global setup: one Kafka and one ClickHouse for all projects of a run. KAFKA_BROKERS and CLICKHOUSE_URL name running ones. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const brokers = process.env['KAFKA_BROKERS']?.split(',');
  const url = process.env['CLICKHOUSE_URL'];
  const servers = brokers && url ? undefined : await (run.testServers ??= startTestServers());
  project.provide('kafkaBrokers', brokers ?? servers?.kafkaBrokers ?? []);
  project.provide('clickhouseUrl', url ?? servers?.clickhouseUrl ?? '');
  // Vitest tears all projects down after all tests: the first one stops the servers.
  return async () => {
    if (run.testServers === undefined) return;
    delete run.testServers;
    await servers?.stop();
  };
}
