import { Logger } from '@nestjs/common';
import {
  CompactedTopicFollower,
  type Kafka,
  type RecordSink,
  type RecordSnapshot,
  SnapshotWriter,
} from '@sluice/kafka';
import { plansTopic } from './records.js';
import { PlanRegistry } from './registry.js';
import { RegistrySink } from './registry-sink.js';

export interface PlanReaderOptions {
  /** Read first, and kept current from then on. */
  readonly snapshot?: RecordSnapshot;
  /** Called for each record that is not a plan of this version. */
  readonly onUnreadable?: () => void;
  /** Called with the error when a message cannot be judged; the message passes. */
  readonly onError?: (error: unknown) => void;
}

/** Fills a registry from `plans.v1` and keeps it current: a change is seen within a second. */
export class PlanReader {
  readonly registry: PlanRegistry;
  private readonly logger = new Logger(PlanReader.name);
  private readonly follower: CompactedTopicFollower;
  private readonly writer: SnapshotWriter | undefined;
  private readonly onUnreadable: () => void;

  constructor(
    kafka: Kafka,
    private readonly options: PlanReaderOptions = {},
  ) {
    const { snapshot, onUnreadable = () => undefined, onError } = options;
    this.onUnreadable = onUnreadable;
    this.registry = new PlanRegistry(onError);
    this.follower = new CompactedTopicFollower(kafka, plansTopic, () => this.newSink());
    this.writer = snapshot && new SnapshotWriter(snapshot, () => this.registry.records());
  }

  /** Seconds for which a change of a plan would not have been seen; infinite before the topic was read once. */
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
    try {
      const sink = new RegistrySink(this.registry, () => undefined, this.onUnreadable);
      for (const record of (await this.options.snapshot?.read()) ?? []) sink.take(record);
      sink.caughtUp();
    } catch (error) {
      this.logger.error({ msg: 'the snapshot of the plans is not used', error: String(error) });
    }
  }

  private newSink(): RecordSink {
    return new RegistrySink(this.registry, () => this.writer?.changed(), this.onUnreadable);
  }
}
