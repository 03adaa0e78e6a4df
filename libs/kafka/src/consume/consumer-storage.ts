import { channel } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoggerService } from '@nestjs/common';
import { errorTrace } from '@sluice/service';
import { type Turns } from '../bulkheads/turns.js';
import { type DeadLetters } from '../dead-letters/dead-letters.js';
import { type LogEnds } from '../logs/log-ends.js';
import { type ConsumerMetrics } from '../metrics/consumer-metrics.js';
import {
  type Block,
  type BlockHandler,
  partitionKey,
  type Placement,
  type Rejection,
  type TopicPartition,
} from '../protocol/block.js';
import { type BlockPoint, type BlockStorage } from '../protocol/block-storage.js';
import { type Commit } from '../protocol/committed.js';
import { type PartitionStep } from '../protocol/partition-steps.js';
import { type KnownShards } from '../shards/known-shards.js';
import { type BlockPace } from './block-pace.js';
import { withinBlockSpan } from './block-span.js';
import { type GroupMember } from './group-member.js';
import { type MessageFilter } from './message-filter.js';
import { withOwner } from './owner.js';

/** The parts of a consumer that the block protocol uses. */
export interface StorageParts {
  readonly logger: LoggerService;
  readonly deadLetters: DeadLetters;
  readonly logEnds: LogEnds;
  readonly metrics: ConsumerMetrics;
  readonly pace: BlockPace;
  readonly turns: Turns;
  /** The method that stores the blocks of a topic. */
  readonly requireHandler: (topic: string) => BlockHandler;
  /** The member of the group that has the partitions. */
  readonly member: () => GroupMember;
  /** Undefined where ClickHouse is one server. */
  readonly shards: KnownShards | undefined;
  readonly filter: MessageFilter | undefined;
  /** Name of the database that the rows go to; undefined if commits name none. */
  readonly owner: string | undefined;
}

/** The points that blocks pass, for whatever is loaded with the app (`node --import`): fault tests kill the process at one. */
const blockPoints = channel('sluice.block-points');

/** Connects the block protocol to the world: rows go to the handlers, commits and dead letters to Kafka. */
export class ConsumerStorage implements BlockStorage {
  constructor(private readonly parts: StorageParts) {}

  commit(place: TopicPartition, commit: Commit): Promise<void> {
    const { member, owner } = this.parts;
    return member().commit(place, owner === undefined ? commit : withOwner(commit, owner));
  }

  canCommit(): boolean {
    return this.parts.member().canCommit;
  }

  placement(place: TopicPartition): Placement | undefined {
    return this.parts.shards?.placement(place);
  }

  async store(block: Block): Promise<Rejection[]> {
    const { requireHandler, filter, logEnds, metrics, pace, shards } = this.parts;
    const messages = filter?.messagesToStore(block.topic, block.messages) ?? block.messages;
    if (messages.length === 0) return [];
    metrics.begun(block);
    let rejections: Rejection[] | undefined;
    try {
      const partitions = logEnds.partitionCount(block.topic);
      const blockToStore = { ...block, messages, partitions, ...shards?.shardsFor(block, partitions) };
      rejections = await withinBlockSpan('store', block, () => requireHandler(block.topic)(blockToStore));
    } finally {
      const tookMs = metrics.ended(block);
      if (rejections) {
        pace.stored(partitionKey(block), tookMs);
        metrics.stored({ ...block, messages }, tookMs);
      }
    }
    return rejections;
  }

  async bury(block: Block, rejections: readonly Rejection[]): Promise<void> {
    const { deadLetters, logger, metrics } = this.parts;
    await withinBlockSpan('bury', block, async () => {
      logger.warn({ msg: 'messages refused', block: block.id, count: rejections.length });
      await deadLetters.write(block, rejections);
    });
    metrics.buried(block, rejections);
  }

  /** Each shard of a topic counts as a topic: one that does not answer does not hold up the others. */
  turn(place: TopicPartition): Promise<() => void> {
    const { shard } = this.placement(place) ?? {};
    return this.parts.turns.take(shard === undefined ? place.topic : `${place.topic}@${shard}`);
  }

  maxAgeMs(): number {
    return this.parts.pace.maxAgeMs();
  }

  isFilling(place: TopicPartition): boolean {
    return this.parts.member().isFilling(place);
  }

  sleep(ms: number, signal: AbortSignal | undefined): Promise<unknown> {
    return sleep(ms, undefined, signal && { signal });
  }

  retrying(place: TopicPartition, step: PartitionStep, error: unknown, pauseMs: number): void {
    this.parts.metrics.retried(place, step, error);
    this.parts.logger.warn({
      msg: `${step} failed, trying again`,
      ...place,
      error: String(error),
      pauseMs,
      ...errorTrace(error),
    });
  }

  recovered(place: TopicPartition): void {
    this.parts.member().recovered(place);
  }

  progressed(): void {
    this.parts.member().balance();
  }

  passed(point: BlockPoint, { topic, partition }: TopicPartition): void {
    if (blockPoints.hasSubscribers) blockPoints.publish({ point, topic, partition });
  }
}
