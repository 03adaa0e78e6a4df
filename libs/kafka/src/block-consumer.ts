import { Logger } from '@nestjs/common';
import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import { type Health, Registry } from '@sluice/service';
import { isObservable, lastValueFrom, type Observable } from 'rxjs';
import { BehindSince } from './behind-since.js';
import { type Block, type BlockHandler, type Place, type Refusal } from './block.js';
import { BlockPace } from './block-pace.js';
import { createKafka } from './client.js';
import { type BlockConfig, type KafkaConfig } from './config.js';
import { withinBlockSpan } from './block-span.js';
import { ConsumerMetrics, type PartitionState, type TopicState } from './consumer-metrics.js';
import { crashPoint } from './crash-point.js';
import { DeadLetters } from './dead-letters.js';
import { GroupMember, type PartitionPorts } from './group-member.js';
import { LogEnds } from './log-ends.js';
import { Slots } from './slots.js';

/** INSERTs at once: enough for both sides to have work, few enough that each is quick. */
const handlersAtOnce = 4;
/** Less than a graceful stop may take (STOP_TIMEOUT_MS). */
const graceMs = 10_000;
/** kafkajs sends or tries something at least every few seconds, whatever is away. */
const silentMs = 60_000;
const watchMs = 10_000;
/** Every request of a handler ends by itself in two minutes; a block needs a few. */
const stuckMs = 15 * 60_000;

/**
 * The transport of the consumers: `@HandlesBlocks(topic)` methods receive blocks, each exactly once as long as storing
 * one again under the same id changes nothing (docs/decisions/0010-exactly-once.md).
 */
export class BlockConsumer extends Server implements CustomTransportStrategy {
  protected override readonly logger = new Logger(BlockConsumer.name);
  override readonly propagatesEventHandlerErrors = true;
  private readonly deadLetters: DeadLetters;
  private readonly member: GroupMember;
  private readonly turns = new Slots(handlersAtOnce);
  private readonly pace: BlockPace;
  private readonly metrics: ConsumerMetrics;
  private readonly logEnds: LogEnds;
  private readonly behind = new BehindSince();
  private readonly passed = crashPoint();
  private watch: NodeJS.Timeout | undefined;

  constructor(config: KafkaConfig & BlockConfig, groupId: string, health: Health, registry = new Registry()) {
    super();
    const kafka = createKafka(config, groupId);
    this.pace = new BlockPace(config.BLOCK_MAX_AGE_MS);
    this.deadLetters = new DeadLetters(kafka, config);
    this.logEnds = new LogEnds(kafka);
    this.metrics = new ConsumerMetrics(registry, { partitions: () => this.partitions(), topics: () => this.topics() });
    this.member = new GroupMember(kafka, groupId, config, this.portsOf);
    health.ready.set('consumer', () => {
      const { assigned } = this.member;
      if (assigned === undefined) throw new Error('not a member of the group yet');
      return { partitions: assigned };
    });
    health.live.set('consumer', () => {
      this.throwIfSilent();
      if (this.metrics.longestUnderWayMs > stuckMs) throw new Error('a block is being stored without an end');
      return {};
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

  /** Takes no more, stores and confirms what is under way, and leaves the group. */
  async close(): Promise<void> {
    clearInterval(this.watch);
    this.logEnds.stop();
    await this.member.stop(graceMs);
    await this.deadLetters.stop();
  }

  on(): never {
    throw new Error('a block consumer has no events to listen to');
  }

  unwrap(): never {
    throw new Error('the Kafka consumer stays inside: who commits beside the block protocol breaks it');
  }

  private async start(): Promise<void> {
    this.logEnds.follow([...this.messageHandlers.keys()]);
    await this.member.start([...this.messageHandlers.keys()]);
    this.watch = setInterval(() => {
      this.throwIfSilent();
    }, watchMs);
  }

  /** From the timer this ends the process as well. */
  private throwIfSilent(): void {
    if (this.watch && this.member.silentMs > silentMs) throw new Error('kafkajs has stopped without saying so');
  }

  private readonly portsOf: PartitionPorts = (place, { intent }) => {
    if (intent) this.metrics.replays(place);
    return this.portsAt(place);
  };

  private readonly portsAt = (place: Place): ReturnType<PartitionPorts> => ({
    store: (block) => this.store(block),
    bury: async (block, refusals) => {
      this.logger.warn({ msg: 'messages refused', block: block.id, count: refusals.length });
      await this.deadLetters.write(block, refusals);
      this.metrics.buried(block, refusals);
    },
    maxAgeMs: () => this.pace.maxAgeMs(),
    turn: () => this.turns.take(),
    retrying: (what, error, pauseMs) => {
      this.metrics.retried(place, what, error);
      this.logger.warn({ msg: `${what} failed, trying again`, ...place, error: String(error), pauseMs });
    },
    ...(this.passed && { passed: this.passed }),
  });

  private async store(block: Block): Promise<Refusal[]> {
    this.metrics.begun(block);
    let refusals: Refusal[] | undefined;
    try {
      refusals = await withinBlockSpan(block, () => this.handlerOf(block)(block));
    } finally {
      const tookMs = this.metrics.ended(block);
      if (refusals) {
        this.pace.stored(`${block.topic}:${block.partition}`, tookMs);
        this.metrics.stored(block, tookMs);
      }
    }
    return refusals;
  }

  private partitions(): PartitionState[] {
    const states = this.member.present.map(({ place, undecodable, protocol: { oldest, position } }) => {
      const end = this.logEnds.of(place);
      const unstored = oldest ? BigInt(oldest.offset) : position;
      const lag = end === undefined ? undefined : Number(end > unstored ? end - unstored : 0n);
      return { ...place, position, lag, oldestAt: oldest && Number(oldest.timestamp), undecodable };
    });
    const isWaiting = (state: (typeof states)[number]): boolean => state.oldestAt === undefined && (state.lag ?? 0) > 0;
    const since = this.behind.look(states.filter(isWaiting));
    return states.map((state) => (isWaiting(state) ? { ...state, oldestAt: since.shift() } : state));
  }

  private topics(): TopicState[] {
    const { present } = this.member;
    return [...this.messageHandlers.keys()].map((topic) => ({
      topic,
      assigned: present.filter(({ place }) => place.topic === topic).length,
      partitions: this.logEnds.partitionsOf(topic),
    }));
  }

  private handlerOf({ topic }: Place): BlockHandler {
    const handler = this.getHandlerByPattern(topic);
    if (!handler) throw new Error(`no handler for topic ${topic}`);
    return async (block) => {
      const outcome = (await handler(block)) as Refusal[] | Observable<Refusal[]>;
      return isObservable(outcome) ? lastValueFrom(outcome) : outcome;
    };
  }
}
