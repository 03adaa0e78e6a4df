import { type ClickHouseConfig } from '@sluice/clickhouse';
import { type KafkaConfig } from '@sluice/kafka';
import { version } from '@sluice/service';
import { OperationError, reasonOf } from '../operation-error.js';
import { readClickHouseStatus } from './clickhouse-status.js';
import { readConsumerStatus } from './consumer-status.js';
import { readDeadLetterStatus, type Treated } from './dead-letter-status.js';
import { readGatewayStatus } from './gateway-status.js';
import { readKafkaStatus } from './kafka-status.js';
import { readMigrationStatus } from './migration-status.js';
import { type Judged, type StatusReport } from '@sluice/console-api';

export interface StatusQuestion {
  config: KafkaConfig & ClickHouseConfig;
  /** Addresses of the gateways' `/metrics`. */
  gateways: readonly string[];
  /** Addresses of the `/metrics` of consumers. */
  consumers: readonly string[];
  lateAfterSeconds: number;
  /** Servers that are known to be unreachable: they are not asked, and nobody waits for them. */
  unreachable?: { kafka?: boolean; clickhouse?: boolean };
  /** Gives the ids of letters that need no more attention; none by default. */
  treated?: Treated;
}

/** Asks all servers at once, each for a bounded time. Servers that do not answer are `unreachable` in the report. */
export async function readStatus({
  config,
  gateways,
  consumers,
  lateAfterSeconds,
  unreachable = {},
  treated,
}: StatusQuestion): Promise<StatusReport> {
  const [kafka, deadLetters, clickhouse, migrations, ofGateways, ofConsumers] = await Promise.all([
    asked(unreachable.kafka, () => readKafkaStatus(config, lateAfterSeconds)).catch((error: unknown) => ({
      kafka: { ...unreachableBy(error), brokers: 0 },
      data: { ...unknown('Kafka'), topics: [] },
    })),
    asked(unreachable.kafka, () => readDeadLetterStatus(config, treated)).catch(() => ({
      ...unknown('Kafka'),
      topics: [],
    })),
    asked(unreachable.clickhouse, () => readClickHouseStatus(config)).catch((error: unknown) => ({
      ...unreachableBy(error),
      version: null,
      tables: [],
    })),
    asked(unreachable.clickhouse, () => readMigrationStatus(config)).catch(() => ({
      ...unknown('ClickHouse'),
      applied: 0,
      pending: [],
      changed: [],
      differences: [],
    })),
    readGatewayStatus(gateways, lateAfterSeconds),
    readConsumerStatus(consumers, lateAfterSeconds),
  ]);
  const at = new Date().toISOString();
  const processes = { consumers: ofConsumers, gateways: ofGateways };
  return { at, version, ...kafka, deadLetters, clickhouse, migrations, ...processes };
}

/** @throws OperationError at once when the server is known to be unreachable. */
function asked<T>(isUnreachable: boolean | undefined, ask: () => Promise<T>): Promise<T> {
  return isUnreachable ? Promise.reject(new OperationError('no answer')) : ask();
}

const unreachableBy = (error: unknown): Judged => ({ verdict: 'unreachable', summary: reasonOf(error) });

const unknown = (server: string): Judged => ({
  verdict: 'unknown',
  summary: `not known while ${server} does not answer`,
});
