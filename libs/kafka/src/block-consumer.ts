import { Logger } from '@nestjs/common';
import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import { type Health } from '@sluice/service';
import { isObservable, lastValueFrom, type Observable } from 'rxjs';
import { type Block, type BlockHandler, type Place, type Refusal } from './block.js';
import { BlockPace } from './block-pace.js';
import { createKafka } from './client.js';
import { type BlockConfig, type KafkaConfig } from './config.js';
import { crashPoint } from './crash-point.js';
import { DeadLetters } from './dead-letters.js';
import { GroupMember, type PartitionPorts } from './group-member.js';
import { Slots } from './slots.js';

/** INSERTs at once: enough for both sides to have work, few enough that each is quick. */
const handlersAtOnce = 4;
/** Less than a graceful stop may take (STOP_TIMEOUT_MS). */
const graceMs = 10_000;
/** kafkajs sends or tries something at least every few seconds, whatever is away. */
const silentMs = 60_000;
const watchMs = 10_000;

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
  private readonly passed = crashPoint();
  private watch: NodeJS.Timeout | undefined;

  constructor(config: KafkaConfig & BlockConfig, groupId: string, health: Health) {
    super();
    const kafka = createKafka(config, groupId);
    this.pace = new BlockPace(config.BLOCK_MAX_AGE_MS);
    this.deadLetters = new DeadLetters(kafka);
    this.member = new GroupMember(kafka, groupId, config, this.portsOf);
    health.ready.set('consumer', () => {
      const { assigned } = this.member;
      if (assigned === undefined) throw new Error('not a member of the group yet');
      return { partitions: assigned };
    });
    health.live.set('consumer', () => {
      this.throwIfSilent();
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
    await this.deadLetters.start();
    await this.member.start([...this.messageHandlers.keys()]);
    this.watch = setInterval(() => {
      this.throwIfSilent();
    }, watchMs);
  }

  /** From the timer this ends the process as well. */
  private throwIfSilent(): void {
    if (this.watch && this.member.silentMs > silentMs) throw new Error('kafkajs has stopped without saying so');
  }

  private readonly portsOf: PartitionPorts = (place) => ({
    store: (block) => this.store(block),
    bury: (block, refusals) => {
      this.logger.warn({ msg: 'messages refused', block: block.id, count: refusals.length });
      return this.deadLetters.write(block, refusals);
    },
    maxAgeMs: () => this.pace.maxAgeMs(),
    turn: () => this.turns.take(),
    retrying: (what, error, pauseMs) => {
      this.logger.warn({ msg: `${what} failed, trying again`, ...place, error: String(error), pauseMs });
    },
    ...(this.passed && { passed: this.passed }),
  });

  private async store(block: Block): Promise<Refusal[]> {
    const startedAt = performance.now();
    const refusals = await this.handlerOf(block)(block);
    this.pace.stored(`${block.topic}:${block.partition}`, performance.now() - startedAt);
    return refusals;
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
