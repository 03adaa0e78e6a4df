import { setTimeout as sleep } from 'node:timers/promises';
import { type LoggerService } from '@nestjs/common';
import { traceOfError } from '@sluice/service';
import { type Turns } from '../bulkheads/turns.js';
import { type DeadLetters } from '../dead-letters/dead-letters.js';
import { type LogEnds } from '../logs/log-ends.js';
import { type ConsumerMetrics } from '../metrics/consumer-metrics.js';
import { type Block, type BlockHandler, type Place, type Placement, type Rejection } from '../protocol/block.js';
import { type BlockPoint, type BlockStorage } from '../protocol/block-storage.js';
import { type Commit } from '../protocol/committed.js';
import { type Step } from '../protocol/steps.js';
import { type KnownShards } from '../shards/known-shards.js';
import { type BlockPace } from './block-pace.js';
import { withinBlockSpan } from './block-span.js';
import { crashPoint } from './crash-point.js';
import { type GroupMember } from './group-member.js';
import { type MessageFilter } from './message-filter.js';
import { ownedBy } from './owner.js';

/** The parts of a consumer that the block protocol uses. */
export interface StorageParts {
  readonly logger: LoggerService;
  readonly deadLetters: DeadLetters;
  readonly logEnds: LogEnds;
  readonly metrics: ConsumerMetrics;
  readonly pace: BlockPace;
  readonly turns: Turns;
  /** The method that stores the blocks of a topic. */
  readonly handlerOf: (topic: string) => BlockHandler;
  /** The member of the group that has the partitions. */
  readonly member: () => GroupMember;
  /** Undefined where ClickHouse is one server. */
  readonly shards: KnownShards | undefined;
  readonly filter: MessageFilter | undefined;
  /** Name of the database that the rows go to; undefined if commits name none. */
  readonly owner: string | undefined;
}

/** Connects the block protocol to the world: rows go to the handlers, commits and dead letters to Kafka. */
export class ConsumerStorage implements BlockStorage {
  private readonly crash = crashPoint();

  constructor(private readonly parts: StorageParts) {}

  commit(place: Place, commit: Commit): Promise<void> {
    const { member, owner } = this.parts;
    return member().commit(place, owner === undefined ? commit : ownedBy(commit, owner));
  }

  canCommit(): boolean {
    return this.parts.member().canCommit;
  }

  placement(place: Place): Placement | undefined {
    return this.parts.shards?.placement(place);
  }

  async store(block: Block): Promise<Rejection[]> {
    const { handlerOf, filter, logEnds, metrics, pace, shards } = this.parts;
    const messages = filter?.kept(block.topic, block.messages) ?? block.messages;
    if (messages.length === 0) return [];
    metrics.begun(block);
    let rejections: Rejection[] | undefined;
    try {
      const partitions = logEnds.partitionsOf(block.topic);
      const counted = { ...block, messages, partitions, ...shards?.placesOf(block, partitions) };
      rejections = await withinBlockSpan('store', block, () => handlerOf(block.topic)(counted));
    } finally {
      const tookMs = metrics.ended(block);
      if (rejections) {
        pace.stored(`${block.topic}:${block.partition}`, tookMs);
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
  turn(place: Place): Promise<() => void> {
    const { shard } = this.placement(place) ?? {};
    return this.parts.turns.take(shard === undefined ? place.topic : `${place.topic}@${shard}`);
  }

  maxAgeMs(): number {
    return this.parts.pace.maxAgeMs();
  }

  isFilling(place: Place): boolean {
    return this.parts.member().isFilling(place);
  }

  sleep(ms: number, signal: AbortSignal | undefined): Promise<unknown> {
    return sleep(ms, undefined, signal && { signal });
  }

  retrying(place: Place, step: Step, error: unknown, pauseMs: number): void {
    this.parts.metrics.retried(place, step, error);
    this.parts.logger.warn({
      msg: `${step} failed, trying again`,
      ...place,
      error: String(error),
      pauseMs,
      ...traceOfError(error),
    });
  }

  recovered(place: Place): void {
    this.parts.member().recovered(place);
  }

  progressed(): void {
    this.parts.member().balance();
  }

  passed(point: BlockPoint): void {
    this.crash?.(point);
  }
}
