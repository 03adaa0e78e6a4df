import { Logger } from '@nestjs/common';
import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import { type Health } from '@sluice/service';
import { type Consumer, type EachBatchPayload, type Kafka } from 'kafkajs';
import { isObservable, lastValueFrom, type Observable } from 'rxjs';
import { type Block, type BlockHandler, type Refusal } from './block.js';
import { createKafka } from './client.js';
import { type BlockConfig, type KafkaConfig } from './config.js';
import { DeadLetters } from './dead-letters.js';
import { PartitionBlocks } from './partition-blocks.js';
import { storeBlock } from './store-block.js';

type Commit = EachBatchPayload['commitOffsetsIfNecessary'];

/**
 * The transport of the consumers: `@HandlesBlocks(topic)` methods receive blocks. A block is confirmed (its offset
 * committed) after the handler has stored it and its refused messages are in the dead letters: at least once.
 */
export class BlockConsumer extends Server implements CustomTransportStrategy {
  protected override readonly logger = new Logger(BlockConsumer.name);
  override readonly propagatesEventHandlerErrors = true;
  private readonly kafka: Kafka;
  private readonly consumer: Consumer;
  private readonly deadLetters: DeadLetters;
  private readonly partitions = new Map<string, PartitionBlocks>();
  private readonly stopped = new AbortController();
  private commit: Commit | undefined;
  private stopping = false;
  private joined = false;

  constructor(
    private readonly config: KafkaConfig & BlockConfig,
    groupId: string,
    health: Health,
  ) {
    super();
    this.kafka = createKafka(config, groupId);
    this.deadLetters = new DeadLetters(this.kafka);
    this.consumer = this.kafka.consumer({
      groupId,
      allowAutoTopicCreation: false,
      // A process that was killed holds its partitions for as long as its session lives.
      sessionTimeout: 10_000,
      heartbeatInterval: 2_000,
      maxWaitTimeInMs: 250, // also how long a partition that was paused alone waits before it is fetched again
      maxBytesPerPartition: 4 * 1024 * 1024,
    });
    health.ready.set('consumer', () => {
      if (!this.joined) throw new Error('not a member of the group yet');
      return { partitions: this.partitions.size };
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

  /** Takes no more, stores and confirms what was taken, and leaves the group. */
  async close(): Promise<void> {
    this.stopping = true;
    await Promise.all([...this.partitions.values()].map((partition) => partition.drain()));
    this.stopped.abort();
    await this.consumer.disconnect();
    await this.deadLetters.stop();
  }

  on(): never {
    throw new Error('a block consumer has no events to listen to');
  }

  unwrap(): never {
    throw new Error('the Kafka consumer stays inside: who commits beside the block protocol breaks it');
  }

  private async start(): Promise<void> {
    this.consumer.on(this.consumer.events.GROUP_JOIN, () => {
      this.beginAfresh();
    });
    this.consumer.on(this.consumer.events.CRASH, ({ payload: { error, restart } }) => {
      this.joined = false;
      if (restart) return;
      // kafkajs has stopped for good; outside any promise this ends the process, and its supervisor starts it again.
      setImmediate(() => {
        throw new Error('kafkajs stopped the consumer', { cause: error });
      });
    });
    await this.deadLetters.start();
    await this.consumer.connect();
    await this.consumer.subscribe({ topics: [...this.messageHandlers.keys()], fromBeginning: true });
    await this.consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: 8,
      eachBatch: (payload) => {
        this.take(payload);
        return Promise.resolve();
      },
    });
  }

  /** After a join every partition is read from its committed offset again: what waits here would come twice. */
  private beginAfresh(): void {
    for (const partition of this.partitions.values()) partition.drop();
    this.consumer.resume([...this.messageHandlers.keys()].map((topic) => ({ topic })));
    this.partitions.clear();
    this.joined = true;
  }

  /** Only appends: kafkajs fetches several partitions together and the next fetch waits for every handler. */
  private take(payload: EachBatchPayload): void {
    if (this.stopping) return;
    const { batch } = payload;
    this.commit = (offsets) => payload.commitOffsetsIfNecessary(offsets);
    const partition = this.partitionOf(batch.topic, batch.partition);
    partition.append(batch.messages);
    payload.resolveOffset(batch.lastOffset());
    if (partition.isFull) payload.pause();
  }

  private partitionOf(topic: string, partition: number): PartitionBlocks {
    const key = `${topic}:${partition}`;
    const known = this.partitions.get(key);
    if (known) return known;
    const blocks: PartitionBlocks = new PartitionBlocks(topic, partition, this.config, async (block) => {
      await this.storeAndConfirm(block, () => this.partitions.get(key) === blocks);
      if (!blocks.isFull) this.consumer.resume([{ topic, partitions: [partition] }]);
    });
    this.partitions.set(key, blocks);
    return blocks;
  }

  private async storeAndConfirm(block: Block, isOurs: () => boolean): Promise<void> {
    const attempts = {
      signal: this.stopped.signal,
      onRetry: (error: unknown, pauseMs: number) => {
        this.logger.warn({ msg: 'block not stored, trying again', block: block.id, error: String(error), pauseMs });
      },
    };
    // 1. Store. 2. Dead letters. 3. Confirm. Confirming before either would lose rows when the process dies between.
    const refusals = await storeBlock(block, this.handlerOf(block.topic), attempts);
    if (refusals.length > 0) this.logger.warn({ msg: 'messages refused', block: block.id, count: refusals.length });
    await storeBlock(block, () => this.deadLetters.write(block, refusals).then(() => []), attempts);
    if (isOurs()) await this.confirm(block);
  }

  private handlerOf(topic: string): BlockHandler {
    const handler = this.getHandlerByPattern(topic);
    if (!handler) throw new Error(`no handler for topic ${topic}`);
    return async (block) => {
      const outcome = (await handler(block)) as Refusal[] | Observable<Refusal[]>;
      return isObservable(outcome) ? lastValueFrom(outcome) : outcome;
    };
  }

  /** A commit that fails is not repeated: the next block's commit includes it, and a restart reads the block again. */
  private async confirm({ topic, partition, messages }: Block): Promise<void> {
    const offset = String(BigInt(messages.at(-1)?.offset ?? 0) + 1n);
    try {
      await this.commit?.({ topics: [{ topic, partitions: [{ partition, offset }] }] });
    } catch (error) {
      this.logger.warn({ msg: 'offset not committed', topic, partition, error: String(error) });
    }
  }
}
