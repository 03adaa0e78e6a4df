import { Logger } from '@nestjs/common';
import {
  CompactedTopicFollower,
  type Kafka,
  type RecordSink,
  type RecordSnapshot,
  SnapshotWriter,
} from '@sluice/kafka';
import { sourcesTopic } from './records.js';
import { SourceRegistry } from './registry.js';
import { RegistrySink } from './registry-sink.js';

/** Origin of the known sources. */
export type RegistryOrigin = 'nowhere' | 'snapshot' | 'topic';

/** Fills a registry from `sources.v1` and keeps it current: a change is seen within a second. */
export class SourceReader {
  readonly registry = new SourceRegistry();
  private readonly logger = new Logger(SourceReader.name);
  private readonly follower: CompactedTopicFollower;
  private readonly writer: SnapshotWriter | undefined;
  private from: RegistryOrigin = 'nowhere';

  /** @param snapshot read first, and kept current from then on */
  constructor(
    kafka: Kafka,
    private readonly snapshot?: RecordSnapshot,
  ) {
    this.follower = new CompactedTopicFollower(kafka, sourcesTopic, () => this.newSink());
    this.writer = snapshot && new SnapshotWriter(snapshot, () => this.registry.records());
  }

  get origin(): RegistryOrigin {
    return this.from;
  }

  /** Seconds for which a change of a source would not have been seen; infinite before the topic was read once. */
  get staleSeconds(): number {
    return this.follower.staleMs / 1_000;
  }

  /** Whether the registry was read. Before that, an unknown source may exist all the same. */
  get isComplete(): boolean {
    return this.from !== 'nowhere';
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
    try {
      const records = await this.snapshot?.read();
      if (!records) return;
      const registry = new SourceRegistry();
      for (const { key, value } of records) this.applyIfRead(registry, key, value);
      this.registry.become(registry);
      this.from = 'snapshot';
    } catch (error) {
      this.logger.error({ msg: 'the snapshot of the sources is not used', error: String(error) });
    }
  }

  /** Skips a record that cannot be read, perhaps of a later version, so that all other sources stay usable. */
  private applyIfRead(registry: SourceRegistry, key: string, value: Buffer | null): void {
    try {
      registry.apply(key, value);
    } catch (error) {
      this.logger.error({ msg: 'a record of the snapshot is not used', error: String(error) });
    }
  }

  private newSink(): RecordSink {
    return new RegistrySink(this.registry, () => {
      this.from = 'topic';
      this.writer?.changed();
    });
  }
}
