import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { Consumer, Kafka } from 'kafkajs';
import { withAdmin } from './admin.js';
import { createPartitioner } from './client.js';
import { withinDeadline } from './deadline.js';
import { endOnCrash } from './end-on-crash.js';

const startTimeoutMs = 60_000;

/** A record of a compacted topic: the newest value of its key, or null when it was deleted. */
export interface CompactedRecord {
  key: string;
  value: Buffer | null;
}

/** Writes one record; resolves when all in-sync replicas have it. */
export async function writeCompacted(kafka: Kafka, topic: string, record: CompactedRecord): Promise<void> {
  const producer = kafka.producer({ createPartitioner, allowAutoTopicCreation: false });
  await producer.connect();
  try {
    await producer.send({ topic, acks: -1, messages: [record] });
  } finally {
    await producer.disconnect();
  }
}

/** Reads a compacted topic of one partition from its beginning and follows it for as long as it runs. */
export class CompactedTopicFollower {
  private readonly logger = new Logger(CompactedTopicFollower.name);
  private readonly consumer: Consumer;
  /** The newest record that was handed on. A rejoin reads from the beginning again; going back would undo what is newer. */
  private newest = -1n;

  constructor(
    private readonly kafka: Kafka,
    private readonly topic: string,
    private readonly onRecord: (record: CompactedRecord) => void,
  ) {
    // A group of its own, never committed to: every follower reads everything.
    this.consumer = kafka.consumer({
      groupId: `sluice-follower-${randomUUID()}`,
      allowAutoTopicCreation: false,
      maxWaitTimeInMs: 500,
    });
  }

  /** Resolves when every record that was there at the call has been seen. */
  async start(): Promise<void> {
    const end = await this.endOffset();
    const caughtUp = end > 0n ? this.seen(end - 1n) : Promise.resolve();
    endOnCrash(this.consumer);
    await this.consumer.connect();
    await this.consumer.subscribe({ topics: [this.topic], fromBeginning: true });
    await this.consumer.run({
      autoCommit: false,
      eachMessage: ({ message: { key, value, offset } }) => {
        this.handOn(BigInt(offset), key, value);
        return Promise.resolve();
      },
    });
    await withinDeadline(caughtUp, startTimeoutMs, `${this.topic} was not read to its end`);
  }

  stop(): Promise<void> {
    return this.consumer.disconnect();
  }

  private handOn(offset: bigint, key: Buffer | null, value: Buffer | null): void {
    if (offset <= this.newest) return;
    this.newest = offset;
    // Throwing here would make kafkajs read the same record for ever.
    try {
      if (key) this.onRecord({ key: key.toString(), value });
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
