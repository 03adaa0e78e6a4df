import { Logger } from '@nestjs/common';
import { type Kafka } from '@sluice/kafkajs';
import { firstLine } from '@sluice/service';
import { type CompactedRecord } from './compacted-record.js';
import { CompactedTopicFollower } from './compacted-topic.js';
import { type RecordSnapshot } from './record-snapshot.js';
import { type RecordRegistry, RegistrySink } from './registry-sink.js';
import { SnapshotWriter } from './snapshot-writer.js';

/** Origin of what a registry holds. */
export type RegistryOrigin = 'nowhere' | 'snapshot' | 'topic';

export interface RegistryFollowerOptions<Registry extends RecordRegistry> {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly createRegistry: () => Registry;
  /** Read first, and kept current from then on. */
  readonly snapshot?: RecordSnapshot | undefined;
  /** Called for each record that the registry cannot read. */
  readonly onUnreadable?: (() => void) | undefined;
  /** Called whenever the registry was replaced or has changed. */
  readonly onChange?: (() => void) | undefined;
}

/** Keeps a registry equal to a compacted topic: a change is seen within a second. RegistrySink says what a reading does. */
export class RegistryFollower<Registry extends RecordRegistry> {
  readonly registry: Registry;
  private readonly logger = new Logger(RegistryFollower.name);
  private readonly follower: CompactedTopicFollower;
  private readonly writer: SnapshotWriter | undefined;
  private source: RegistryOrigin = 'nowhere';
  private newest = -1n;

  constructor(private readonly options: RegistryFollowerOptions<Registry>) {
    const { kafka, topic, createRegistry, snapshot } = options;
    this.registry = createRegistry();
    this.follower = new CompactedTopicFollower(kafka, topic, () => this.createSink());
    this.writer = snapshot && new SnapshotWriter(snapshot, () => this.registry.records());
  }

  get origin(): RegistryOrigin {
    return this.source;
  }

  /** Offset of the newest record that is in force; -1 before the topic was read to its end, and while it is empty. */
  get offset(): bigint {
    return this.newest;
  }

  /** Seconds for which a change would not have been seen; infinite before the topic was read once. */
  get staleSeconds(): number {
    return this.follower.staleMs / 1_000;
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

  async stop(): Promise<void> {
    await Promise.all([this.follower.stop(), this.writer?.stop()]);
  }

  private async readSnapshot(): Promise<void> {
    const { topic, snapshot, createRegistry, onChange } = this.options;
    try {
      const records = await snapshot?.read();
      if (!records) return;
      const registry = createRegistry();
      for (const record of records) this.applyIfReadable(registry, record);
      this.registry.become(registry);
      this.source = 'snapshot';
      onChange?.();
    } catch (error) {
      this.logger.error({ msg: 'the snapshot of a topic is not used', topic, error: String(error) });
    }
  }

  private applyIfReadable(registry: Registry, record: CompactedRecord): void {
    try {
      registry.apply(record.key, record.value);
    } catch (error) {
      this.reportUnreadable(record, error);
    }
  }

  private reportUnreadable({ key }: CompactedRecord, error: unknown): void {
    const { topic, onUnreadable } = this.options;
    this.logger.error({ msg: 'a record is not used', topic, key: key.slice(0, 64), error: firstLine(String(error)) });
    onUnreadable?.();
  }

  private createSink(): RegistrySink<Registry> {
    const { topic, createRegistry, onChange } = this.options;
    return new RegistrySink(this.registry, createRegistry(), {
      onChange: (offset) => {
        this.newest = offset;
        this.source = 'topic';
        onChange?.();
        this.writer?.changed();
      },
      onKept: (offset) => {
        this.newest = offset;
        const msg = 'the topic has no usable record, though some are known: they are kept. Is this the right Kafka?';
        this.logger.error({ msg, topic });
      },
      onUnreadable: (record, error) => this.reportUnreadable(record, error),
    });
  }
}
