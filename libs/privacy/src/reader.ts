import { Logger } from '@nestjs/common';
import { readCompactedEnd, type Kafka, type RecordSnapshot, RegistryFollower } from '@sluice/kafka';
import { type PrivacyKey } from './privacy-key.js';
import { SuppressionRegistry } from './registry.js';
import { suppressionsTopic } from './suppression.js';

/** Fills a registry from `suppressions.v1` and keeps it current. */
export class SuppressionReader {
  private readonly logger = new Logger(SuppressionReader.name);
  private readonly follower: RegistryFollower<SuppressionRegistry>;
  /** Whether this process had the key of every record at some time. */
  private wasUsable = false;
  private isReported = false;

  /** @param snapshot records to start from; the reader keeps the snapshot up to date */
  constructor(
    private readonly kafka: Kafka,
    private readonly key: PrivacyKey | undefined,
    snapshot?: RecordSnapshot,
  ) {
    this.follower = new RegistryFollower({
      kafka,
      topic: suppressionsTopic,
      createRegistry: () => new SuppressionRegistry(key),
      snapshot,
      onChange: () => this.noteUsability(),
    });
  }

  get registry(): SuppressionRegistry {
    return this.follower.registry;
  }

  /** Offset of the newest record that is in force; see RegistryFollower. */
  get offset(): bigint {
    return this.follower.offset;
  }

  /** Seconds for which a change would not have been seen; see RegistryFollower. */
  get staleSeconds(): number {
    return this.follower.staleSeconds;
  }

  /**
   * Says why this process must not begin: it lacks the key of the records that it found when it started. A process that
   * was running before such a record came goes on with the records that it can use.
   */
  get refusal(): string | undefined {
    if (this.wasUsable || !this.registry.hasOtherKeys) return undefined;
    return this.key
      ? 'PRIVACY_KEY is not the key of the records in suppressions.v1'
      : 'suppressions.v1 has records, and PRIVACY_KEY is not set';
  }

  /** Resolves when the registry is complete, then follows the topic. @throws when Kafka cannot be reached. */
  start(): Promise<void> {
    return this.follower.start();
  }

  /** Resolves when the snapshot is read. The topic follows as soon as Kafka can be reached. */
  follow(): Promise<void> {
    return this.follower.follow();
  }

  /** @throws while a record in Kafka is not in force here yet, or this process lacks the key of the records; retry. */
  async assertUpToDate(): Promise<void> {
    const end = await readCompactedEnd(this.kafka, suppressionsTopic);
    if (!Number.isFinite(this.staleSeconds) || this.offset < end - 1n)
      throw new Error(`${suppressionsTopic} is not read to its end yet`);
    const { refusal } = this;
    if (refusal !== undefined) throw new Error(refusal);
  }

  stop(): Promise<void> {
    return this.follower.stop();
  }

  /** Notes whether the records can be used; logs once when they cannot. */
  private noteUsability(): void {
    const { registry } = this;
    if (!registry.hasOtherKeys) this.wasUsable = true;
    if (registry.unusableRecords === 0 || this.isReported) return;
    this.isReported = true;
    this.logger.error({
      msg: 'records of suppressions.v1 cannot be used',
      count: registry.unusableRecords,
      refusal: this.refusal,
    });
  }
}
