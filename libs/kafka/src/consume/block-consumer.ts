import { Logger } from '@nestjs/common';
import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import { type Health, Registry } from '@sluice/service';
import { isObservable, lastValueFrom, type Observable } from 'rxjs';
import { BehindSince } from '../metrics/behind-since.js';
import { type BlockHandler, type Rejection } from '../protocol/block.js';
import { BlockPace } from './block-pace.js';
import { createKafka } from '../connection/client.js';
import { type BlockConfig, type KafkaConfig } from '../connection/config.js';
import { type Loss } from '../protocol/committed.js';
import { ConsumerMetrics, type PartitionState, type TopicAssignment } from '../metrics/consumer-metrics.js';
import { DeadLetters } from '../dead-letters/dead-letters.js';
import { type OnLoss } from '../logs/former-logs.js';
import { ConsumerStorage } from './consumer-storage.js';
import { GroupMember } from './group-member.js';
import { type MessageFilter } from './message-filter.js';
import { LogEnds } from '../logs/log-ends.js';
import { type Assigned } from '../logs/read-assigned.js';
import { type KnownShards, refuseShards } from '../shards/known-shards.js';
import { Retention, type WaitingPartition } from '../logs/retention.js';
import { type StuckPartition } from '../metrics/stuck-metrics.js';
import { Turns } from '../bulkheads/turns.js';

/** INSERTs at once: enough for both sides to have work, few enough that each is quick. */
const insertsAtOnce = 4;
/** Less than a graceful stop may take (STOP_TIMEOUT_MS). */
const graceMs = 10_000;
/** kafkajs sends or tries something at least every few seconds, whatever is unreachable. */
const silentMs = 60_000;
const watchMs = 10_000;
/** Upper bound of stuck partitions that health names. */
const maxDetails = 20;
/** Longer than any attempt: requests to ClickHouse and Kafka end in two minutes, and a block needs only a few. */
const endlessMs = 30 * 60_000;

const lossTexts: Readonly<Record<Loss['state'], string>> = {
  waiting: 'retention took messages that were not stored',
  'under way': 'retention took messages of a block that was begun; they may be stored',
  'topic deleted': 'the topic was deleted with messages that were not stored',
};
const unknownLossText = 'the topic was deleted; messages that this process had not seen are lost';

/** Optional parts of a consumer. */
export interface ConsumerParts {
  /** The map of shards, where ClickHouse has shards; followed until the consumer is closed. */
  readonly shards?: KnownShards | undefined;
  /** Leaves messages out; followed until the consumer is closed. */
  readonly filter?: MessageFilter | undefined;
  /** Name of the database that the rows go to; confirmations carry it. */
  readonly owner?: string;
}

/**
 * The transport of the consumers: `@HandlesBlocks(topic)` methods receive blocks. Each takes effect exactly once,
 * provided that storing a block again under its id changes nothing (docs/decisions/0010-exactly-once.md).
 */
export class BlockConsumer extends Server implements CustomTransportStrategy {
  protected override readonly logger = new Logger(BlockConsumer.name);
  override readonly propagatesEventHandlerErrors = true;
  private readonly deadLetters: DeadLetters;
  private readonly member: GroupMember;
  private readonly metrics: ConsumerMetrics;
  private readonly logEnds: LogEnds;
  private readonly retention: Retention;
  private readonly behind = new BehindSince();
  private watch: NodeJS.Timeout | undefined;
  private hasJoined = false;

  constructor(
    config: KafkaConfig & BlockConfig,
    groupId: string,
    health: Health,
    registry = new Registry(),
    private readonly parts: ConsumerParts = {},
  ) {
    super();
    const { shards, filter, owner } = parts;
    const kafka = createKafka(config, groupId);
    this.deadLetters = new DeadLetters(kafka, config);
    this.logEnds = new LogEnds(kafka, () => this.member.afterLook());
    this.retention = new Retention(kafka, () => this.waiting());
    this.metrics = new ConsumerMetrics(registry, {
      partitions: () => this.partitions(),
      shards: () => shards?.describeState(this.member.present.map(({ place }) => place)),
      topics: () => this.topics(),
      stuck: () => this.stuck(),
      retentionLeft: () => this.retention.timeLeft(),
      retentionPeriods: () => this.retention.retentionSeconds(),
    });
    const { deadLetters, logEnds, logger, lost, metrics } = this;
    const storage = new ConsumerStorage({
      logger,
      deadLetters,
      logEnds,
      metrics,
      pace: new BlockPace(config.BLOCK_MAX_AGE_MS, config.BLOCK_INSERTS_PER_SECOND),
      turns: new Turns({ atOnce: insertsAtOnce }),
      requireHandler: (topic) => this.requireHandler(topic),
      member: () => this.member,
      shards,
      filter,
      owner,
    });
    const events = {
      assigned: async (partitions: readonly Assigned[]): Promise<void> => {
        await (shards?.prepare(partitions) ?? refuseShards(partitions));
        await filter?.ready();
      },
      lost,
      replays: metrics.replays.bind(metrics),
    };
    this.member = new GroupMember(kafka, groupId, config, storage, events, logEnds);
    health.ready.set('consumer', () => this.readiness());
    health.live.set('consumer', () => {
      this.throwIfSilent();
      this.throwIfEndless();
      return this.stuckDetails();
    });
  }

  async listen(callback: (error?: unknown) => void): Promise<void> {
    try {
      await this.start();
      callback();
    } catch (error) {
      callback(error);
    }
  }

  /** Begins no further block, stores and confirms those under way, and leaves the group. */
  async close(): Promise<void> {
    clearInterval(this.watch);
    this.logEnds.stop();
    this.retention.stop();
    await this.member.stop(graceMs);
    await Promise.all([this.deadLetters.stop(), this.parts.shards?.stop(), this.parts.filter?.stop()]);
  }

  on(): never {
    throw new Error('a block consumer has no events to listen to');
  }

  unwrap(): never {
    throw new Error('the Kafka consumer is not exposed: a commit outside the block protocol would break it');
  }

  private async start(): Promise<void> {
    const topics = [...this.messageHandlers.keys()];
    this.logEnds.follow(topics);
    this.retention.follow(topics);
    await this.member.start(topics);
    this.watch = setInterval(() => this.throwIfSilent(), watchMs);
  }

  /**
   * Fails until the process has first had its share of the group. Later, reporting it unready would gain nothing: no
   * one sends it requests, and a rebalance or an unreachable server would hold up the drain of its node.
   */
  private readiness(): Record<string, unknown> {
    const { assigned } = this.member;
    this.hasJoined ||= assigned !== undefined;
    if (!this.hasJoined) throw new Error('not a member of the group yet');
    return assigned === undefined ? { isJoining: true } : { partitions: assigned, ...this.stuckDetails() };
  }

  /** Called by health and by a timer; thrown from the timer, the error ends the process. */
  private throwIfSilent(): void {
    if (this.watch && this.member.silentMs > silentMs) throw new Error('kafkajs has stopped without reporting it');
  }

  /**
   * Ends the process when one attempt hangs, because a restart helps then. Attempts that fail and are repeated do not
   * count.
   */
  private throwIfEndless(): void {
    const endless = this.member.present.find(({ steps }) => steps.attemptMs() > endlessMs);
    if (!endless) return;
    const { topic, partition } = endless.place;
    throw new Error(`${endless.steps.stuckAt()?.step ?? 'work'} of ${topic}:${partition} has no end`);
  }

  private readonly lost: OnLoss = (place, loss) => {
    this.metrics.lost(place, loss);
    const [from, to, count] = [String(loss.from), String(loss.to), Number(loss.to - loss.from)];
    const msg = count > 0 ? lossTexts[loss.state] : unknownLossText;
    this.logger.error({ msg, ...place, from, to, count });
  };

  private partitions(): PartitionState[] {
    const states = this.member.present.map(({ place, protocol: { oldest, position } }) => {
      const end = this.logEnds.end(place);
      const unstored = oldest ? BigInt(oldest.offset) : position;
      const lag = end === undefined ? undefined : Number(end > unstored ? end - unstored : 0n);
      return { ...place, position, lag, oldestAt: oldest && Number(oldest.timestamp) };
    });
    const isWaiting = (state: (typeof states)[number]): boolean => state.oldestAt === undefined && (state.lag ?? 0) > 0;
    const since = this.behind.look(states.filter(isWaiting)).map(toWallTime);
    return states.map((state) => (isWaiting(state) ? { ...state, oldestAt: since.shift() } : state));
  }

  private stuck(): StuckPartition[] {
    return this.member.present.flatMap(({ place, steps }) => {
      const stuck = steps.stuckAt();
      return stuck ? [{ ...place, stuck }] : [];
    });
  }

  /** Describes the stuck partitions for people, the longest stuck first. */
  private stuckDetails(): { stuck?: string[] } {
    const stuck = this.stuck().sort((a, b) => a.stuck.since - b.stuck.since);
    if (stuck.length === 0) return {};
    const describe = ({ topic, partition, stuck: { step, code, shard, since } }: StuckPartition): string =>
      `${topic}:${partition} ${step} ${code}${shard === undefined ? '' : ` at shard ${shard}`} since ${new Date(toWallTime(since)).toISOString()}`;
    return { stuck: stuck.slice(0, maxDetails).map(describe) };
  }

  private waiting(): WaitingPartition[] {
    const partitions = this.member.present.map(({ place, protocol: { oldest, position } }) => ({
      ...place,
      unstored: oldest ? BigInt(oldest.offset) : position,
      takenAt: oldest && Number(oldest.timestamp) > 0 ? Number(oldest.timestamp) : undefined,
    }));
    return partitions.filter((partition) => partition.unstored < (this.logEnds.end(partition) ?? 0n));
  }

  private topics(): TopicAssignment[] {
    const { present } = this.member;
    return [...this.messageHandlers.keys()].map((topic) => ({
      topic,
      assigned: present.filter(({ place }) => place.topic === topic).length,
      partitions: this.logEnds.partitionCount(topic),
    }));
  }

  private requireHandler(topic: string): BlockHandler {
    const handler = this.getHandlerByPattern(topic);
    if (!handler) throw new Error(`no handler for topic ${topic}`);
    return async (block) => {
      const outcome = (await handler(block)) as Rejection[] | Observable<Rejection[]>;
      return isObservable(outcome) ? lastValueFrom(outcome) : outcome;
    };
  }
}

/** Converts a time of `performance.now()` to milliseconds since 1970, by the present wall clock. */
const toWallTime = (time: number): number => Date.now() - (performance.now() - time);
