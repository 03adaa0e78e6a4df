import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { canaryTopic, header, withTopicPrefix } from '@sluice/contracts';
import { type Consumer, type EachBatchPayload, type Kafka } from '@sluice/kafkajs';
import { disconnected } from '../connection/disconnected.js';
import { keepTrying } from '../connection/keep-trying.js';
import { type StoredMessage } from '../protocol/block.js';
import { headerText } from '../protocol/message-parts.js';

/** Time that a look at topics without new messages waits for one. */
const idleMs = 1_000;
/** Minimum time between two looks at the topics, and bytes of a partition that one look takes. */
const roundMs = 250;
const sliceBytes = 65_536;
/** Bytes that one look takes of a partition that is read whole. */
const wholeBytes = 1_048_576;

export interface TappedMessage {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  /** Time at which Kafka took it, milliseconds since 1970. */
  readonly timestamp: number;
  readonly key: string;
  readonly value: Buffer;
  readonly requestId: string;
}

export interface TapSlice {
  readonly messages: readonly TappedMessage[];
  /** Messages after the slice that were skipped; exact, because offsets have no gaps. */
  readonly skipped: number;
}

interface TapOptions {
  readonly topics: readonly string[];
  /** The only partition to read, whole; without it, slices of all partitions are read. */
  readonly partition?: number;
  readonly onSlice: (slice: TapSlice) => void;
}

/** Whether the message is of the canary, which nobody who looks at events sees. */
const isProbe = (message: StoredMessage): boolean => headerText(message, header.contract) === canaryTopic.contract;

/**
 * Reads what comes into topics from now on, at a bounded cost: it reads a slice of each partition, then skips to its
 * end. It has a group of its own, and never commits.
 */
export class TopicTap {
  private readonly stopping = new AbortController();
  private consumer: Consumer | undefined;
  private roundEndsAt = 0;

  constructor(
    private readonly kafka: Kafka,
    private readonly options: TapOptions,
  ) {}

  /** Starts in the background, retried until it succeeds. */
  start(): void {
    void keepTrying('tapping topics', () => this.run(), this.stopping.signal);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.close();
  }

  private async run(): Promise<void> {
    const { topics, partition: only } = this.options;
    const consumer = this.kafka.consumer({
      groupId: withTopicPrefix(`sluice-tap-${randomUUID()}`),
      allowAutoTopicCreation: false,
      maxWaitTimeInMs: idleMs,
      maxBytesPerPartition: only === undefined ? sliceBytes : wholeBytes,
      retry: { restartOnFailure: () => Promise.resolve(false) },
    });
    this.consumer = consumer;
    const crashed = new Promise<never>((_, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload: { error } }) => reject(error));
    });
    crashed.catch(() => this.runAgain(consumer));
    consumer.on(consumer.events.GROUP_JOIN, ({ payload: { memberAssignment } }) => {
      if (only === undefined) return;
      for (const [topic, partitions] of Object.entries(memberAssignment)) {
        consumer.pause([{ topic, partitions: partitions.filter((partition) => partition !== only) }]);
      }
    });
    await consumer.connect();
    await consumer.subscribe({ topics: [...topics], fromBeginning: false });
    const run = consumer.run({
      autoCommit: false,
      partitionsConsumedConcurrently: 256,
      eachBatch: (payload) => this.take(consumer, payload),
    });
    await Promise.race([run, crashed]);
    if (this.stopping.signal.aborted) await this.close();
  }

  private async take(consumer: Consumer, { batch }: EachBatchPayload): Promise<void> {
    const { topic, partition } = batch;
    const isWhole = this.options.partition !== undefined;
    if (this.stopping.signal.aborted || (isWhole && partition !== this.options.partition)) return;
    const messages = batch.messages.flatMap((message): TappedMessage[] => {
      const { offset, timestamp, key, value } = message;
      if (value === null || isProbe(message)) return [];
      const requestId = headerText(message, header.requestId) ?? '';
      // Copies: the bytes of a fetch are released after the batch.
      return [
        {
          topic,
          partition,
          offset,
          timestamp: Number(timestamp),
          requestId,
          key: key?.toString() ?? '',
          value: Buffer.from(value),
        },
      ];
    });
    const next = BigInt(batch.messages.at(-1)?.offset ?? -1) + 1n;
    const end = BigInt(batch.highWatermark);
    const skipped = !isWhole && next > 0n && end > next ? Number(end - next) : 0;
    if (skipped > 0) consumer.seek({ topic, partition, offset: String(end) });
    this.options.onSlice({ messages, skipped });
    if (!isWhole) await this.endOfRound();
  }

  /** All partitions of a fetch wait for the same moment, so that there are four looks a second at most. */
  private async endOfRound(): Promise<void> {
    const now = performance.now();
    if (now >= this.roundEndsAt) this.roundEndsAt = now + roundMs;
    await pause(this.roundEndsAt - now, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }

  private async runAgain(consumer: Consumer): Promise<void> {
    if (this.stopping.signal.aborted || this.consumer !== consumer) return;
    await this.close();
    this.start();
  }

  private async close(): Promise<void> {
    const { consumer } = this;
    this.consumer = undefined;
    if (consumer) await disconnected(consumer);
  }
}
