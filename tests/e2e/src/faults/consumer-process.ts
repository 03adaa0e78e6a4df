import { createKafka } from '@sluice/kafka';
import { type App, eventually, type ServerProcess, spawnApp } from '@sluice/testing';

/** Kills a consumer at a point of a block. The path is the same from `src` and from `dist`. */
const crashPointProgram = new URL('../../src/faults/crash-point.mjs', import.meta.url).href;

export type ConsumerApp = Exclude<App, 'gateway' | 'console'>;

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
  /** Default: a free port. */
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
  const { brokers, clickhouseUrl, database, folder, checkout, managementPort } = options;
  const settings = {
    KAFKA_BROKERS: brokers.join(','),
    TOPIC_PARTITIONS: '6',
    TOPIC_REPLICATION_FACTOR: String(options.replicationFactor ?? 1),
    CLICKHOUSE_URL: clickhouseUrl,
    CLICKHOUSE_DATABASE: database,
    BLOCK_MAX_AGE_MS: '300',
    KAFKA_SESSION_TIMEOUT_MS: '6000',
    // Consumers of older checkouts read it themselves.
    SLUICE_CRASH_POINT: crashPoint,
    ...(managementPort !== undefined && { MANAGEMENT_PORT: String(managementPort) }),
    ...options.settings,
  };
  return (await spawnApp(app, settings, { folder, checkout, nodeArgs: ['--import', crashPointProgram] })).server;
}

/**
 * Lets a consumer of another database take over the group, as docs/operations.md#another-database says. The group must have
 * no member.
 */
export async function forgetOwner(brokers: readonly string[], groupId: ConsumerApp = 'tracking'): Promise<void> {
  const admin = createKafka({ KAFKA_BROKERS: [...brokers] }, 'test').admin();
  await admin.connect();
  try {
    // Retried, because a Kafka that has had no group first creates the topic of the offsets.
    const offsets = await eventually(() => admin.fetchOffsets({ groupId }));
    for (const { topic, partitions } of offsets) {
      const committed = partitions.flatMap(({ partition, offset }) => (offset === '-1' ? [] : [{ partition, offset }]));
      if (committed.length > 0) await admin.setOffsets({ groupId, topic, partitions: committed });
    }
  } finally {
    await admin.disconnect();
  }
}
