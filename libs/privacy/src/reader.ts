import { Logger } from '@nestjs/common';
import {
  CompactedTopicFollower,
  endOfCompacted,
  type Kafka,
  type RecordSink,
  type RecordSnapshot,
  SnapshotWriter,
} from '@sluice/kafka';
import { type PrivacyKey } from './privacy-key.js';
import { SuppressionRegistry } from './registry.js';
import { RegistrySink } from './registry-sink.js';
import { suppressionsTopic } from './suppression.js';

/** Fills a registry from `suppressions.v1` and keeps it current: a change is seen within a second. */
export class SuppressionReader {
  readonly registry: SuppressionRegistry;
  private readonly logger = new Logger(SuppressionReader.name);
  private readonly follower: CompactedTopicFollower;
  private readonly writer: SnapshotWriter | undefined;
  private newest = -1n;
  /** Whether this process had the key of every record at some time. */
  private wasUsable = false;
  private isReported = false;

  /** @param snapshot read first, and kept current from then on */
  constructor(
    private readonly kafka: Kafka,
    private readonly key: PrivacyKey | undefined,
    private readonly snapshot?: RecordSnapshot,
  ) {
    this.registry = new SuppressionRegistry(key);
    this.follower = new CompactedTopicFollower(kafka, suppressionsTopic, () => this.newSink());
    this.writer = snapshot && new SnapshotWriter(snapshot, () => this.registry.records());
  }

  /** Offset of the newest record that is in force; -1 before the topic was read to its end, and while it is empty. */
  get offset(): bigint {
    return this.newest;
  }

  /** Seconds for which a change would not have been seen; infinite before the topic was read once. */
  get staleSeconds(): number {
    return this.follower.staleMs / 1_000;
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
  async follow(): Promise<void> {
    await this.readSnapshot();
    this.follower.follow();
  }

  /** @throws while not every record that is in Kafka now is in force here, or this process lacks their key; retry. */
  async assertUpToDate(): Promise<void> {
    const end = await endOfCompacted(this.kafka, suppressionsTopic);
    if (!Number.isFinite(this.staleSeconds) || this.newest < end - 1n)
      throw new Error(`${suppressionsTopic} is not read to its end yet`);
    const { refusal } = this;
    if (refusal !== undefined) throw new Error(refusal);
  }

  async stop(): Promise<void> {
    await Promise.all([this.follower.stop(), this.writer?.stop()]);
  }

  private async readSnapshot(): Promise<void> {
    try {
      const records = await this.snapshot?.read();
      for (const { key, value } of records ?? []) this.registry.apply(key, value);
      if (records) this.look();
    } catch (error) {
      this.logger.error({ msg: 'the snapshot of the suppressions is not used', error: String(error) });
    }
  }

  private newSink(): RecordSink {
    return new RegistrySink(this.registry, new SuppressionRegistry(this.key), (offset) => {
      this.newest = offset;
      this.look();
      this.writer?.changed();
    });
  }

  /** Notes whether the records can be used; logs once when they cannot. */
  private look(): void {
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
