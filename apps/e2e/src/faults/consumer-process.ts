import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, ServerProcess } from '@sluice/testing';

const here = fileURLToPath(new URL('../../../..', import.meta.url));

export type ConsumerApp = 'tracking' | 'catalog' | 'push-interaction';

export interface ConsumerOptions {
  readonly brokers: readonly string[];
  readonly clickhouseUrl: string;
  readonly database: string;
  readonly folder: string;
  /** Replication factor of topics that the consumer creates. */
  readonly replicationFactor?: number;
  /** Another built checkout whose service is started. */
  readonly checkout?: string;
  /** Environment variables that override the defaults. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A free one by default. */
  readonly managementPort?: number | undefined;
}

/** Starts the tracking service; see `startConsumer`. */
export const startTracking = (options: ConsumerOptions, crashPoint = ''): Promise<ServerProcess> =>
  startConsumer('tracking', options, crashPoint);

/** Starts a built consumer. Resolves when it is ready, or at once if it has a crash point. */
export async function startConsumer(
  app: ConsumerApp,
  options: ConsumerOptions,
  crashPoint = '',
): Promise<ServerProcess> {
  const server = await spawnConsumer(app, options, crashPoint);
  if (crashPoint === '') await server.untilReady(90_000);
  return server;
}

/** Starts a built consumer and does not wait for it. Its management port is the port of its spec. */
export async function spawnConsumer(
  app: ConsumerApp,
  options: ConsumerOptions,
  crashPoint = '',
): Promise<ServerProcess> {
  const port = options.managementPort ?? (await freePort());
  return ServerProcess.spawn({
    name: app,
    command: process.execPath,
    args: [join(options.checkout ?? here, 'apps', app, 'dist', 'main.js')],
    env: {
      KAFKA_BROKERS: options.brokers.join(','),
      TOPIC_PARTITIONS: '6',
      TOPIC_REPLICATION_FACTOR: String(options.replicationFactor ?? 1),
      CLICKHOUSE_URL: options.clickhouseUrl,
      CLICKHOUSE_DATABASE: options.database,
      BLOCK_MAX_AGE_MS: '300',
      KAFKA_SESSION_TIMEOUT_MS: '6000',
      MANAGEMENT_HOST: '127.0.0.1',
      MANAGEMENT_PORT: String(port),
      SLUICE_CRASH_POINT: crashPoint,
      ...options.settings,
    },
    port,
    logFile: join(options.folder, `${app}.log`),
    isReady: () => isReady(port),
  });
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    return false;
  }
}
