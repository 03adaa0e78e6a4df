import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { Consumer, Kafka } from 'kafkajs';
import { withAdmin } from './admin.js';
import { type RecordSink } from './compacted-topic.js';
import { withinDeadline } from './deadline.js';

const startTimeoutMs = 60_000;

/** One reading of a compacted topic, from its beginning until it is stopped or kafkajs gives up on it. */
export class TopicReading {
  private readonly logger = new Logger(TopicReading.name);
  private readonly consumer: Consumer;
  /** The newest record that was handed on. A rejoin reads from the beginning again; going back would undo what is newer. */
  private newest = -1n;
  /** Resolves when it has come to its end, by itself or because it was stopped. */
  readonly ended: Promise<void>;
  private end!: () => void;
  private isStopped = false;

  constructor(
    private readonly kafka: Kafka,
    private readonly topic: string,
    private readonly sink: RecordSink,
  ) {
    // A group of its own, never committed to: every reading sees everything. A group that a crashed consumer left would
    // make the next one wait until Kafka has missed its member, so a crash ends the reading.
    this.consumer = kafka.consumer({
      groupId: `sluice-follower-${randomUUID()}`,
      allowAutoTopicCreation: false,
      maxWaitTimeInMs: 500,
      retry: { restartOnFailure: () => Promise.resolve(false) },
    });
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
    this.consumer.on(this.consumer.events.CRASH, this.end);
  }

  /** Resolves when every record that was there at the call has been taken. */
  async start(): Promise<void> {
    const end = await this.endOffset();
    if (this.isStopped) return;
    const caughtUp = end > 0n ? this.seen(end - 1n) : Promise.resolve();
    await this.consumer.connect();
    await this.consumer.subscribe({ topics: [this.topic], fromBeginning: true });
    await this.consumer.run({
      autoCommit: false,
      eachMessage: ({ message: { key, value, offset } }) => {
        this.handOn(BigInt(offset), key, value);
        return Promise.resolve();
      },
    });
    const ended = this.ended.then(() => {
      throw new Error('the reading ended before it was complete');
    });
    await withinDeadline(Promise.race([caughtUp, ended]), startTimeoutMs, `${this.topic} was not read to its end`);
    this.sink.caughtUp();
  }

  stop(): Promise<void> {
    this.isStopped = true;
    this.end();
    return this.consumer.disconnect();
  }

  private handOn(offset: bigint, key: Buffer | null, value: Buffer | null): void {
    if (offset <= this.newest) return;
    this.newest = offset;
    // Throwing here would make kafkajs read the same record for ever.
    try {
      if (key) this.sink.take({ key: key.toString(), value });
    } catch (error) {
      this.logger.error({
        msg: 'record not understood',
        topic: this.topic,
        offset: String(offset),
        error: String(error),
      });
    }
  }

  private async endOffset(): Promise<bigint> {
    const [partition] = await withAdmin(this.kafka, (admin) => admin.fetchTopicOffsets(this.topic));
    if (!partition || partition.high === partition.low) return 0n;
    return BigInt(partition.high);
  }

  /** The newest record of a topic is never compacted away, so its offset is always reached. */
  private seen(offset: bigint): Promise<void> {
    return new Promise((resolve) => {
      const unsubscribe = this.consumer.on(this.consumer.events.END_BATCH_PROCESS, ({ payload }) => {
        if (BigInt(payload.lastOffset) < offset) return;
        unsubscribe();
        resolve();
      });
    });
  }
}
