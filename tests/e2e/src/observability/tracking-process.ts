import { eventually, type RunningApp, spawnApp } from '@sluice/testing';
import { local } from '../stack.js';

/** Starts a second tracking consumer in the stack's group. Resolves when it has partitions. */
export async function startTrackingProcess(settings: Record<string, string>, folder: string): Promise<RunningApp> {
  const { kafka, clickhouse, privacyKey } = local();
  const env = {
    KAFKA_BROKERS: kafka.brokers.join(','),
    CLICKHOUSE_URL: clickhouse.url,
    CLICKHOUSE_DATABASE: clickhouse.database,
    PRIVACY_KEY: privacyKey,
    LOG_LEVEL: 'warn',
    ...settings,
  };
  const tracking = await spawnApp('tracking', env, { folder });
  await eventually(async () => {
    const answer = (await (await fetch(`${tracking.url}/health/ready`)).json()) as {
      details?: Record<string, unknown>;
    };
    const { consumer } = (answer.details ?? {}) as { consumer?: { partitions?: number } };
    if (!consumer?.partitions) throw new Error('the consumer has no partitions yet');
  });
  return tracking;
}
