import { Counter, Gauge, type Registry } from '@sluice/service';
import { type TopicPartition } from '../protocol/block.js';
import { type Loss } from '../protocol/committed.js';
import { type Stuck } from '../protocol/partition-steps.js';

/** A partition that makes no progress, and why. */
export interface StuckPartition extends TopicPartition {
  readonly stuck: Stuck;
}

/** A partition with waiting messages, and the time until retention deletes them. */
export interface RetentionLeft extends TopicPartition {
  readonly seconds: number;
}

export interface WaitingStates {
  stuck(): readonly StuckPartition[];
  retentionLeft(): readonly RetentionLeft[];
  /** Retention by topic; topics that keep messages for ever are left out. */
  retentionPeriods(): readonly { readonly topic: string; readonly seconds: number }[];
}

/** Metrics of stuck partitions, of the time until retention deletes waiting messages, and of losses. */
export class StuckMetrics {
  private readonly losses: Counter<'topic' | 'state'>;
  private readonly recreatedLogs: Counter<'topic'>;

  constructor(registry: Registry, states: WaitingStates) {
    const registers = [registry];
    new Gauge({
      name: 'sluice_consumer_stuck_seconds',
      help: 'How long a partition has made no progress, by the failing step (block, commit, dead letters, turn or undecodable) and the code of the failure; shard: of ClickHouse, where it has several and one of them failed; no value for partitions that make progress',
      labelNames: ['topic', 'partition', 'what', 'code', 'shard'] as const,
      registers,
      aggregator: 'max',
      collect() {
        this.reset();
        for (const { topic, partition, stuck } of states.stuck()) {
          const { step, code, shard, since } = stuck;
          const labels = { topic, partition, what: step, code, ...(shard !== undefined && { shard }) };
          this.set(labels, (performance.now() - since) / 1_000);
        }
      },
    });
    new Gauge({
      name: 'sluice_consumer_retention_left_seconds',
      help: 'Least time for which Kafka still keeps the oldest message that is not stored; no value for partitions without a message that has waited for a minute, and for topics that are kept for ever',
      labelNames: ['topic', 'partition'] as const,
      registers,
      aggregator: 'min',
      collect() {
        this.reset();
        for (const { topic, partition, seconds } of states.retentionLeft()) this.set({ topic, partition }, seconds);
      },
    });
    new Gauge({
      name: 'sluice_consumer_retention_seconds',
      help: 'How long Kafka keeps the messages of a topic; no value for topics that are kept for ever',
      labelNames: ['topic'] as const,
      registers,
      aggregator: 'max',
      collect() {
        this.reset();
        for (const { topic, seconds } of states.retentionPeriods()) this.set({ topic }, seconds);
      },
    });
    this.losses = new Counter({
      name: 'sluice_consumer_lost_offsets_total',
      help: 'Offsets that were deleted before they were known to be stored; state: waiting when retention deleted them, under way when their block was begun before that and may be stored, topic deleted when they were deleted with their topic, of which only those count that a consumer knew of',
      labelNames: ['topic', 'state'] as const,
      registers,
    });
    this.recreatedLogs = new Counter({
      name: 'sluice_consumer_recreated_logs_total',
      help: 'Partitions whose topic was found to have been deleted and created again; messages that no consumer had seen are lost and counted nowhere',
      labelNames: ['topic'] as const,
      registers,
    });
  }

  lost({ topic }: TopicPartition, { from, to, state }: Loss): void {
    if (state === 'topic deleted') this.recreatedLogs.inc({ topic });
    if (from < to) this.losses.inc({ topic, state }, Number(to - from));
  }
}
