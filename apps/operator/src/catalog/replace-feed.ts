import { type ClickHouseConfig } from '@sluice/clickhouse';
import {
  categoryTopic,
  generalEntityTopic,
  productTopic,
  productVariantTopic,
  sellerTopic,
  type Topic,
} from '@sluice/contracts';
import { type KafkaConfig, readLag } from '@sluice/kafka';
import { destinations, OperationError, withKafka } from '@sluice/operations';
import { say } from '../output.js';
import { waitUntilClear } from '../wait-for/until-clear.js';
import { readCurrentStates } from './current-states.js';
import { type EntityType } from './entity-type.js';
import { compareFeed, type FeedCounts } from './feed-comparison.js';
import { importCatalog, type ImportRequest, readImportedRecords } from './import-catalog.js';
import { type ImportState } from '../files/import-progress.js';
import { SyncApi } from './sync-api.js';

export interface FeedRequest extends ImportRequest {
  servers: KafkaConfig & ClickHouseConfig;
  /** Only counts. */
  dryRun: boolean;
  /** Deletes however many entities the file does not have. */
  yes: boolean;
  /** Writes the replacement down, then runs it. */
  record: (counts: FeedCounts, send: () => Promise<ImportState<EntityType>>) => Promise<ImportState<EntityType>>;
}

export interface ReplacedFeed {
  counts: FeedCounts;
  /** Undefined after a dry run. */
  state?: ImportState<EntityType>;
}

const topics: Readonly<Record<EntityType, Topic>> = {
  seller: sellerTopic,
  product: productTopic,
  productVariant: productVariantTopic,
  category: categoryTopic,
  general: generalEntityTopic,
};

/** Share of the stored entities that a file may delete without a word: one that was cut off would delete most. */
const maxDeletedShare = 0.2;
const kafkaLimitMs = 15_000;
const maxWaitMs = 600_000;

/**
 * Makes the entities of a type and source those of a file: sends what differs from what is stored, then deletes what the
 * file does not have. A run after an interrupted one compares again, and so sends only the rest.
 * @throws OperationError before anything is sent, when the file names too few entities or lines without an id
 */
export async function replaceFeed(request: FeedRequest): Promise<ReplacedFeed> {
  const { servers, sourceIdentifier, type, dryRun, yes, record } = request;
  await waitUntilStored(servers, type);
  const states = await readCurrentStates(servers, sourceIdentifier, type);
  const counts = await compareFeed(readImportedRecords(request), states, type);
  if (dryRun) return { counts };
  assertReplaceable(counts, yes);
  const state = await record(counts, async () => {
    const sent = await importCatalog({ ...request, states });
    const deletedIds = [...states].filter(([, { isInFile }]) => !isInFile).map(([id]) => id);
    await new SyncApi(request).delete(deletedIds);
    return sent;
  });
  return { counts, state };
}

/** Waits until all messages of the type that are in Kafka now are stored: others would be missing in the comparison. */
async function waitUntilStored(servers: KafkaConfig, type: EntityType): Promise<void> {
  const { name } = topics[type];
  const consumed = destinations.filter(({ topic }) => topic === name);
  const since = Date.now();
  const look = async (): Promise<string[]> => {
    const lags = await withKafka(servers, kafkaLimitMs, (kafka) => readLag(kafka, consumed));
    return lags
      .filter(({ oldestAt = Infinity }) => oldestAt < since)
      .map(({ topic, messages }) => `${messages} messages of ${topic} are not stored yet`);
  };
  await waitUntilClear(look, say, maxWaitMs);
}

function assertReplaceable({ unnamed, deleted, stored }: FeedCounts, yes: boolean): void {
  if (unnamed > 0)
    throw new OperationError(
      `nothing was sent: ${unnamed} records of the file have no id that can be read, and their entities would be deleted`,
    );
  if (deleted <= stored * maxDeletedShare || yes) return;
  const share = `${Math.round((100 * deleted) / stored)} %`;
  throw new OperationError(
    `nothing was sent: the file lacks ${deleted} of ${stored} entities (${share}), which would be deleted; repeat it with --yes`,
  );
}
