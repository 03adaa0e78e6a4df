import { withTopicPrefix } from '@sluice/contracts';
import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { errorCode } from '@sluice/service';
import { type Consumer, type Kafka, type UndecodableBatch, undecodableBatch } from '@sluice/kafkajs';
import { withAdmin } from '../connection/admin.js';
import { type RecordSink } from './compacted-record.js';
import { withinDeadline } from '../connection/deadline.js';
import { disconnected } from '../connection/disconnected.js';

const startTimeoutMs = 60_000;

/** Times of the watch over a reading, in milliseconds. */
export interface Watch {
  /** Silence after which kafkajs counts as dead. It fetches at least every half second while it lives. */
  readonly silenceMs: number;
  readonly lookEveryMs: number;
  readonly checkEndEveryMs: number;
}
const usualWatch: Watch = { silenceMs: 30_000, lookEveryMs: 5_000, checkEndEveryMs: 60_000 };

/** One reading of a compacted topic, from its beginning until it is stopped or kafkajs gives up on it. */
export class TopicReading {
  private readonly logger = new Logger(TopicReading.name);
  private readonly consumer: Consumer;
  /** Offset of the newest record that was handed on. Records before it are dropped: a rejoin reads from the beginning. */
  private newest = -1n;
  /** Resolves when the reading has ended, by itself or by `stop`. */
  readonly ended: Promise<void>;
  private end!: () => void;
  private isStopped = false;
  private undecodable: UndecodableBatch | undefined;
  /** Time at which Kafka last answered a fetch. */
  heardAt = performance.now();
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly kafka: Kafka,
    private readonly topic: string,
    private readonly sink: RecordSink,
    private readonly watch = usualWatch,
  ) {
    // A new group, never committed to, makes every reading see everything. A crash ends the reading: within the same
    // group, the next member would wait until the session of the crashed one is over.
    this.consumer = kafka.consumer({
      groupId: withTopicPrefix(`sluice-follower-${randomUUID()}`),
      allowAutoTopicCreation: false,
      maxWaitTimeInMs: 500,
      retry: { restartOnFailure: () => Promise.resolve(false) },
    });
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
    // kafkajs reports a crash only after it has disconnected, which can take for ever: hence the watch.
    this.consumer.on(this.consumer.events.CRASH, this.end);
    this.consumer.on(this.consumer.events.FETCH, () => {
      this.heardAt = performance.now();
    });
  }

  /** Resolves when every record that was there at the call has been taken. */
  async start(): Promise<void> {
    await withinDeadline(this.readToEnd(), startTimeoutMs, `${this.topic} was not read to its end`);
    this.sink.caughtUp(this.newest);
    this.beginWatch();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    for (const timer of this.timers) clearInterval(timer);
    this.end();
    await disconnected(this.consumer);
  }

  private async readToEnd(): Promise<void> {
    const end = await this.endOffset();
    if (this.isStopped) return;
    const caughtUp = end > 0n ? this.untilSeen(end - 1n) : Promise.resolve();
    await this.consumer.connect();
    await this.consumer.subscribe({ topics: [this.topic], fromBeginning: true });
    await this.consumer.run({
      autoCommit: false,
      eachBatch: ({ batch }) => {
        for (const { key, value, offset } of batch.messages) this.handOn(BigInt(offset), key, value);
        const undecodable = undecodableBatch(batch);
        // A reading that skipped the batch would silently miss its records.
        if (undecodable) {
          this.undecodable = undecodable;
          this.end();
        }
        return Promise.resolve();
      },
    });
    const ended = this.ended.then(() => {
      throw this.undecodable ?? new Error('the reading ended before it was complete');
    });
    await Promise.race([caughtUp, ended]);
  }

  /** Ends the reading when kafkajs has fallen silent or the topic was recreated. */
  private beginWatch(): void {
    const { silenceMs, lookEveryMs, checkEndEveryMs } = this.watch;
    if (this.isStopped) return;
    this.heardAt = performance.now();
    const look = setInterval(() => {
      if (performance.now() - this.heardAt > silenceMs) this.endAs('nothing was heard of Kafka for too long');
    }, lookEveryMs);
    const check = setInterval(() => {
      this.endOffset().then(
        (end) => {
          if (end <= this.newest) this.endAs('its offsets have gone back');
        },
        () => undefined, // Kafka is unreachable: the other timer notices
      );
    }, checkEndEveryMs);
    this.timers.push(look.unref(), check.unref());
  }

  private endAs(why: string): void {
    this.logger.warn({ msg: 'the topic is read from its beginning again', topic: this.topic, why });
    this.end();
  }

  private handOn(offset: bigint, key: Buffer | null, value: Buffer | null): void {
    if (this.isStopped || offset <= this.newest) return;
    this.newest = offset;
    // Throwing here would make kafkajs read the same record for ever.
    try {
      if (key) this.sink.take({ key: key.toString(), value }, offset);
    } catch (error) {
      this.logger.error({
        msg: 'a record could not be read',
        topic: this.topic,
        offset: String(offset),
        code: errorCode(error),
      });
    }
  }

  private async endOffset(): Promise<bigint> {
    const [partition] = await withAdmin(this.kafka, (admin) => admin.fetchTopicOffsets(this.topic));
    if (!partition || partition.high === partition.low) return 0n;
    return BigInt(partition.high);
  }

  /** The newest record of a topic is never removed by compaction, so its offset is always reached. */
  private untilSeen(offset: bigint): Promise<void> {
    return new Promise((resolve) => {
      const unsubscribe = this.consumer.on(this.consumer.events.END_BATCH_PROCESS, ({ payload }) => {
        if (BigInt(payload.lastOffset) < offset) return;
        unsubscribe();
        resolve();
      });
    });
  }
}
