import { type ClickHouseConfig } from '@sluice/clickhouse';
import { type KafkaConfig } from '@sluice/kafka';
import { version } from '@sluice/service';
import { OperationError, describeFailure } from '../operation-error.js';
import { readClickHouseStatus } from './clickhouse-status.js';
import { readConsumerStatus } from './consumer-status.js';
import { readDeadLetterStatus } from './dead-letter-status.js';
import { readGatewayStatus } from './gateway-status.js';
import { readKafkaStatus } from './kafka-status.js';
import { readMigrationStatus } from './migration-status.js';
import { type Judged, type SystemReport } from '@sluice/console-api';

export interface StatusQuestion {
  config: KafkaConfig & ClickHouseConfig;
  /** Addresses of the gateways' `/metrics`. */
  gateways: readonly string[];
  /** Addresses of the `/metrics` of consumers. */
  consumers: readonly string[];
  lateAfterSeconds: number;
  /** Servers that are known to be unreachable: they are not asked, and nobody waits for them. */
  unreachable?: { kafka?: boolean; clickhouse?: boolean };
  /** Reads the dead letters, for a caller that knows them already. */
  deadLetters?: () => Promise<SystemReport['deadLetters']>;
}

/** Asks all servers at once, each for a bounded time. Servers that do not answer are `unreachable` in the report. */
export async function readStatus({
  config,
  gateways,
  consumers,
  lateAfterSeconds,
  unreachable = {},
  deadLetters: readLetters = () => readDeadLetterStatus(config),
}: StatusQuestion): Promise<SystemReport> {
  const [kafka, deadLetters, clickhouse, migrations, gatewayStatus, consumerStatus] = await Promise.all([
    askServer(unreachable.kafka, () => readKafkaStatus(config, lateAfterSeconds)).catch((error: unknown) => ({
      kafka: { ...unreachableStatus(error), brokers: 0 },
      data: { ...unknownStatus('Kafka'), topics: [] },
    })),
    askServer(unreachable.kafka, readLetters).catch(() => ({
      ...unknownStatus('Kafka'),
      topics: [],
    })),
    askServer(unreachable.clickhouse, () => readClickHouseStatus(config)).catch((error: unknown) => ({
      ...unreachableStatus(error),
      version: null,
      tables: [],
    })),
    askServer(unreachable.clickhouse, () => readMigrationStatus(config)).catch(() => ({
      ...unknownStatus('ClickHouse'),
      applied: 0,
      pending: [],
      changed: [],
      differences: [],
    })),
    readGatewayStatus(gateways, lateAfterSeconds),
    readConsumerStatus(consumers, lateAfterSeconds),
  ]);
  const time = new Date().toISOString();
  const processes = { consumers: consumerStatus, gateways: gatewayStatus };
  return { at: time, version, ...kafka, deadLetters, clickhouse, migrations, ...processes };
}

/** @throws OperationError at once when the server is known to be unreachable. */
function askServer<T>(isUnreachable: boolean | undefined, ask: () => Promise<T>): Promise<T> {
  return isUnreachable ? Promise.reject(new OperationError('no answer')) : ask();
}

const unreachableStatus = (error: unknown): Judged => ({ verdict: 'unreachable', summary: describeFailure(error) });

const unknownStatus = (server: string): Judged => ({
  verdict: 'unknown',
  summary: `not known while ${server} does not answer`,
});
