import { allTopics, storedContracts } from '@sluice/contracts';
import { BoundedLabel, errorCode, Counter, Gauge, type Registry } from '@sluice/service';
import { type Block, type TopicPartition, type Rejection } from '../protocol/block.js';
import { BlockHistograms } from './block-histograms.js';
import { type Loss } from '../protocol/committed.js';
import { StuckMetrics, type WaitingStates } from './stuck-metrics.js';

/** Progress of an assigned partition. */
export interface PartitionState extends TopicPartition {
  /** Messages that are not stored yet; undefined until Kafka has said where the log ends. */
  readonly lag: number | undefined;
  /**
   * Time at which Kafka took the oldest message that is fetched and not stored, milliseconds since 1970. If there is lag
   * but nothing is fetched: the time at which this was first seen.
   */
  readonly oldestAt: number | undefined;
}

/** A topic that this process handles, and how much of it is assigned to this process. */
export interface TopicAssignment {
  readonly topic: string;
  /** Number of its partitions that this process has. */
  readonly assigned: number;
  /** The topic's number of partitions; undefined until Kafka has answered. */
  readonly partitions: number | undefined;
}

/** The version of the map of shards that a consumer uses, and its partitions by shard. */
export interface ShardState {
  readonly version: number;
  /** Number of its partitions that are stored on each shard. */
  readonly partitions: ReadonlyMap<string, number>;
}

/** State that the metrics read when they are scraped. */
export interface ConsumerStates extends WaitingStates {
  partitions(): readonly PartitionState[];
  /** The version of the map of shards, and how many partitions each shard gets blocks of; undefined on one server. */
  shards(): ShardState | undefined;
  topics(): readonly TopicAssignment[];
}

const partition = ['topic', 'partition'] as const;
const maxReasons = 40;

/** Counters of a consumer's blocks. State that is kept elsewhere is read at each scrape. */
export class ConsumerMetrics {
  private readonly underWay = new Map<Block, number>();
  private readonly reasons = new BoundedLabel(maxReasons);
  private readonly codes = new BoundedLabel(maxReasons);
  private readonly blocks: BlockHistograms;
  private readonly stuck: StuckMetrics;
  private readonly messages: Counter<'topic'>;
  private readonly shares: Counter<'topic' | 'partition'>;
  private readonly retries: Counter<'topic' | 'what' | 'code'>;
  private readonly letters: Counter<'topic' | 'reason'>;
  private readonly intents: Counter<'topic'>;

  constructor(registry: Registry, states: ConsumerStates) {
    const registers = [registry];
    const labelNames = ['topic'] as const;
    this.blocks = new BlockHistograms(registry);
    this.stuck = new StuckMetrics(registry, states);
    this.messages = new Counter({
      name: 'sluice_consumer_messages_total',
      help: 'Messages that are stored or dead-lettered',
      labelNames,
      registers,
    });
    this.shares = new Counter({
      name: 'sluice_consumer_partition_messages_total',
      help: 'The same by partition: a person or source that makes most of the messages shows as a partition that has most of them',
      labelNames: partition,
      registers,
    });
    this.retries = new Counter({
      name: 'sluice_consumer_retries_total',
      help: 'Failed attempts that are repeated, by the failed step (block, commit or dead letters) and the code of the failure',
      labelNames: ['topic', 'what', 'code'],
      registers,
    });
    this.letters = new Counter({
      name: 'sluice_consumer_dead_letters_total',
      help: 'Messages that were refused and written to the dead letters, by reason',
      labelNames: ['topic', 'reason'],
      registers,
    });
    this.intents = new Counter({
      name: 'sluice_consumer_replayed_intents_total',
      help: 'Blocks that an earlier process began and did not confirm, and that are replayed',
      labelNames,
      registers,
    });
    this.readPartitions(registers, states);
    this.readTopics(registers, states);
    this.readShards(registers, states);
  }

  private readPartitions(registers: Registry[], states: ConsumerStates): void {
    const { underWay } = this;
    new Gauge({
      name: 'sluice_consumer_lag_messages',
      help: 'Messages in Kafka that are not stored yet, of the partitions of this process',
      labelNames: partition,
      registers,
      collect() {
        this.reset();
        for (const { topic, partition, lag } of states.partitions())
          if (lag !== undefined) this.set({ topic, partition }, lag);
      },
    });
    new Gauge({
      name: 'sluice_consumer_oldest_waiting_seconds',
      help: 'Age of the oldest message that is fetched and not stored yet; if none could be fetched, the time since then; 0 when none waits',
      labelNames: partition,
      registers,
      aggregator: 'max',
      collect() {
        this.reset();
        const now = Date.now();
        for (const { topic, partition, oldestAt = now } of states.partitions())
          this.set({ topic, partition }, Math.max(0, now - oldestAt) / 1_000);
      },
    });
    new Gauge({
      name: 'sluice_consumer_blocks_under_way',
      help: 'Blocks that are being stored',
      registers,
      collect() {
        this.set(underWay.size);
      },
    });
  }

  private readTopics(registers: Registry[], states: ConsumerStates): void {
    const labelNames = ['topic'] as const;
    new Gauge({
      name: 'sluice_consumer_assigned_partitions',
      help: 'Partitions that this process has, of every topic that it handles; 0 while it has none',
      labelNames,
      registers,
      collect() {
        for (const { topic, assigned } of states.topics()) this.set({ topic }, assigned);
      },
    });
    new Gauge({
      name: 'sluice_consumer_topic_partitions',
      help: 'Partitions that the topic has, those of other processes included',
      labelNames,
      registers,
      aggregator: 'max',
      collect() {
        for (const { topic, partitions } of states.topics())
          if (partitions !== undefined) this.set({ topic }, partitions);
      },
    });
    new Gauge({
      name: 'sluice_consumer_contract_info',
      help: 'Always 1, for each contract of which this process stores messages; operator wait-for reads it',
      labelNames: ['topic', 'contract'],
      registers,
      collect() {
        const handled = new Set(states.topics().map(({ topic }) => topic));
        for (const topic of allTopics.filter(({ name }) => handled.has(name)))
          for (const contract of storedContracts(topic)) this.set({ topic: topic.name, contract }, 1);
      },
    });
  }

  private readShards(registers: Registry[], states: ConsumerStates): void {
    new Gauge({
      name: 'sluice_consumer_shard_map_version',
      help: 'Version of the map of shards by which this process stores; 0 where ClickHouse is one server',
      registers,
      aggregator: 'min',
      collect() {
        this.set(states.shards()?.version ?? 0);
      },
    });
    new Gauge({
      name: 'sluice_consumer_shard_partitions',
      help: 'Partitions of this process that are stored on a shard; no value where ClickHouse is one server',
      labelNames: ['shard'] as const,
      registers,
      collect() {
        this.reset();
        for (const [shard, count] of states.shards()?.partitions ?? []) this.set({ shard }, count);
      },
    });
  }

  begun(block: Block): void {
    this.underWay.set(block, performance.now());
  }

  /** Records that the handler of a block has ended, with any result. Returns its duration, milliseconds. */
  ended(block: Block): number {
    const tookMs = performance.now() - (this.underWay.get(block) ?? performance.now());
    this.underWay.delete(block);
    return tookMs;
  }

  stored(block: Block, tookMs: number): void {
    this.blocks.stored(block, tookMs);
    const { topic, partition, messages } = block;
    this.messages.inc({ topic }, messages.length);
    this.shares.inc({ topic, partition }, messages.length);
  }

  retried({ topic }: TopicPartition, step: string, error: unknown): void {
    this.retries.inc({ topic, what: step, code: this.codes.labelFor(errorCode(error)) });
  }

  buried({ topic }: TopicPartition, rejections: readonly Rejection[]): void {
    for (const { reason, kind = reason } of rejections)
      this.letters.inc({ topic, reason: this.reasons.labelFor(kind) });
  }

  lost(place: TopicPartition, loss: Loss): void {
    this.stuck.lost(place, loss);
  }

  replays({ topic }: TopicPartition): void {
    this.intents.inc({ topic });
  }
}
