import { type ClickHouseConfig } from '@sluice/clickhouse';
import { createKafka, type KafkaConfig } from '@sluice/kafka';
import { ensureSuppressionsTopic, type PrivacyKey, SuppressionReader, SuppressionWriter } from '@sluice/privacy';
import { OperationError } from '../operation-error.js';
import { type ErasureResources, type PeopleStores } from './eraser.js';
import { ensureErasuresTopic, ErasureStore } from './erasure-store.js';
import { type QuestionLimits, TableServers } from './servers.js';

export interface PeopleConfig {
  readonly config: KafkaConfig & ClickHouseConfig;
  /** Name of the process in Kafka. */
  readonly client: string;
  readonly key: PrivacyKey | undefined;
  readonly adRequestPaths: readonly string[];
  /** Limits after which questions to ClickHouse end without an answer. */
  readonly limits?: QuestionLimits | undefined;
}

export interface ErasureConfig extends PeopleConfig {
  readonly gateways: readonly string[];
  readonly consumers: readonly string[];
  readonly backupDays: number;
  readonly verifyAfterMs: number;
}

/** Opens everything that erasures work with, for as long as `work` takes. @throws OperationError without the key. */
export const runWithErasures = <T>(
  { gateways, consumers, backupDays, verifyAfterMs, ...people }: ErasureConfig,
  work: (resources: ErasureResources) => Promise<T>,
): Promise<T> =>
  runWithPeopleServers(people, (stores) =>
    work({ ...stores, gateways, consumers, backupDays, verifyAfterMs, now: Date.now }),
  );

/** Opens the servers that hold people, for as long as `work` takes. @throws OperationError without the key. */
export async function runWithPeopleServers<T>(
  { config, client, key, adRequestPaths, limits }: PeopleConfig,
  work: (stores: PeopleStores) => Promise<T>,
): Promise<T> {
  if (!key) throw new OperationError('PRIVACY_KEY is not set: ids are hashed and sealed with it');
  const kafka = createKafka(config, client);
  await Promise.all([ensureErasuresTopic(kafka, config), ensureSuppressionsTopic(kafka, config)]);
  const [store, reader] = [new ErasureStore(kafka), new SuppressionReader(kafka, key)];
  const servers = new TableServers(config, limits);
  const writer = new SuppressionWriter(kafka, reader.registry, key);
  try {
    await Promise.all([store.start(), reader.start()]);
    if (reader.refusal !== undefined) throw new OperationError(reader.refusal);
    const suppressions = { registry: reader.registry, writer };
    return await work({ kafka, key, store, suppressions, servers, tables: { adRequestPaths } });
  } finally {
    await Promise.all([store.stop(), reader.stop(), writer.stop(), servers.close()]);
  }
}
