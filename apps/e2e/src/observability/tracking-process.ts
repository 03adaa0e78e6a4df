import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually, freePort } from '@sluice/testing';
import { local } from '../stack.js';

const program = fileURLToPath(new URL('../../../tracking/dist/main.js', import.meta.url));

/** Starts a second tracking consumer in the stack's group. Resolves when it has partitions. */
export async function startTrackingProcess(
  settings: Record<string, string>,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const { kafka, clickhouse } = local();
  const port = await freePort();
  const child = spawn(process.execPath, [program], {
    env: {
      ...process.env,
      KAFKA_BROKERS: kafka.brokers.join(','),
      CLICKHOUSE_URL: clickhouse.url,
      CLICKHOUSE_DATABASE: clickhouse.database,
      MANAGEMENT_HOST: '127.0.0.1',
      MANAGEMENT_PORT: String(port),
      LOG_LEVEL: 'warn',
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  const isReady = async (): Promise<void> => {
    const answer = (await (await fetch(`${url}/health/ready`)).json()) as { details?: Record<string, unknown> };
    const { consumer } = (answer.details ?? {}) as { consumer?: { partitions?: number } };
    if (!consumer?.partitions) throw new Error('the consumer has no partitions yet');
  };
  await eventually(isReady);
  return {
    url,
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
