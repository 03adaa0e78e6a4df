import { type ClickHouseConfig } from '@sluice/clickhouse';
import { type KafkaConfig } from '@sluice/kafka';
import { version } from '@sluice/service';
import { reasonOf } from '../operation-error.js';
import { readClickHouseStatus } from './clickhouse-status.js';
import { readConsumerStatus } from './consumer-status.js';
import { readDeadLetterStatus } from './dead-letter-status.js';
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
}

/** Asks all servers at once, each for a bounded time. Servers that do not answer are `away` in the report. */
export async function readStatus({
  config,
  gateways,
  consumers,
  lateAfterSeconds,
}: StatusQuestion): Promise<StatusReport> {
  const [kafka, deadLetters, clickhouse, migrations, ofGateways, ofConsumers] = await Promise.all([
    readKafkaStatus(config, lateAfterSeconds).catch((error: unknown) => ({
      kafka: { ...away(error), brokers: 0 },
      data: { ...unknown('Kafka'), topics: [] },
    })),
    readDeadLetterStatus(config).catch(() => ({ ...unknown('Kafka'), topics: [] })),
    readClickHouseStatus(config).catch((error: unknown) => ({ ...away(error), version: null, tables: [] })),
    readMigrationStatus(config).catch(() => ({ ...unknown('ClickHouse'), applied: 0, pending: [], changed: [] })),
    readGatewayStatus(gateways, lateAfterSeconds),
    readConsumerStatus(consumers, lateAfterSeconds),
  ]);
  const at = new Date().toISOString();
  const processes = { consumers: ofConsumers, gateways: ofGateways };
  return { at, version, ...kafka, deadLetters, clickhouse, migrations, ...processes };
}

const away = (error: unknown): Judged => ({ verdict: 'away', summary: reasonOf(error) });

const unknown = (server: string): Judged => ({ verdict: 'away', summary: `not known while ${server} does not answer` });
