import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type OutgoingMessage, partsOf, Publisher, type Sender } from '@sluice/kafka';
import { Breaker } from './breaker.js';
import { Disk, DiskFallback } from './disk-fallback.js';
import { DrainRate } from './drain-rate.js';
import { PoisonMessages } from './poison-messages.js';
import { type Spool } from './spool.js';
import { SpoolDrain } from './spool-drain.js';

/** How long a start waits for Kafka before it goes on without. */
const startPatienceMs = 2_000;
/** How long a stop waits for the attempt that is under way, and how much time it leaves to what comes after the spool. */
const stopPatienceMs = 2_000;
const restOfStopMs = 2_000;
const lookEveryMs = 5_000;
/** How long the parts of a large request go to Kafka, one after the other; the rest goes to the disk. */
const maxPartsMs = 1_000;

/** What the spool and its breaker are at, for health, metrics and admission. */
export interface OutboxState {
  /** Closed: requests go to Kafka. Open: they go to the disk, behind what waits there. */
  readonly breaker: 'closed' | 'open';
  readonly rows: number;
  readonly bytes: number;
  readonly oldestAgeSeconds: number;
  readonly drainedPerSecond: number;
  readonly refused: number;
  readonly damaged: number;
  /** Why nothing can be made durable now; undefined when it can. */
  readonly unavailableReason: string | undefined;
  /** Reason why the disk takes nothing now, needed or not; undefined when it does. */
  readonly diskFailure: string | undefined;
  /** After which a client that is refused should come again. */
  readonly retryAfterSeconds: number;
}

/**
 * Makes messages durable: Kafka first, and the disk while Kafka is away. After the first failure a breaker sends what
 * comes next straight to the disk, behind what waits there, until all of it is in Kafka. So a client that waits for its
 * answer has its messages in Kafka in its order.
 */
export class Outbox {
  private readonly logger = new Logger(Outbox.name);
  private readonly rate = new DrainRate();
  private readonly disk: Disk;
  private readonly breaker: Breaker;
  private readonly publisher: Publisher;
  private readonly drain: SpoolDrain;
  private lookTimer: NodeJS.Timeout | undefined;

  constructor(
    sender: Sender,
    private readonly spool: Spool,
  ) {
    const { rate } = this;
    const disk = new Disk(spool, rate);
    const breaker = new Breaker((messages) => disk.write(messages, false));
    const poison = new PoisonMessages(sender, spool);
    const fallback = new DiskFallback(poison, breaker, disk);
    this.disk = disk;
    this.breaker = breaker;
    this.publisher = new Publisher(sender, (messages, isInDoubt, why) => fallback.take(messages, isInDoubt, why));
    const toKafka = (messages: readonly OutgoingMessage[], at: number): Promise<void> => this.toKafka(messages, at);
    this.drain = new SpoolDrain({ sender, spool, poison, breaker, rate, toKafka });
  }

  get state(): OutboxState {
    const { rows, bytes, refused, damaged } = this.spool.state;
    const { isOpen } = this.breaker;
    return {
      breaker: isOpen ? 'open' : 'closed',
      rows,
      bytes,
      oldestAgeSeconds: this.spool.oldestAgeMs / 1_000,
      drainedPerSecond: this.rate.perSecond,
      refused,
      damaged,
      unavailableReason: isOpen ? this.spool.unavailableReason : undefined,
      diskFailure: this.spool.unavailableReason,
      retryAfterSeconds: this.disk.retryAfterSeconds,
    };
  }

  /** Never throws: without Kafka the breaker is open, with a disk that fails nothing is durable until it works. */
  async start(): Promise<void> {
    await this.look();
    const connected = this.publisher.start().then(
      () => true,
      () => false,
    );
    const isConnected = await Promise.race([connected, sleep(startPatienceMs, false, { ref: false })]);
    if (isConnected && this.spool.isEmpty) this.breaker.beginClosed();
    else this.drain.start();
    this.lookTimer = setInterval(() => void this.look(), lookEveryMs).unref();
  }

  /**
   * Resolves when every message is acknowledged by all in-sync replicas of Kafka, or on the disk.
   * @throws NotPublishedError when neither is known within 5 s.
   */
  publish(messages: readonly OutgoingMessage[]): Promise<void> {
    return this.breaker.isOpen ? this.breaker.take(messages) : this.toKafka(messages);
  }

  /**
   * To be called when nothing is published any more. While Kafka takes them, it empties the spool for as long as fits into
   * `withinMs`; what is left on the disk is there for the next process.
   */
  async stop(withinMs: number): Promise<void> {
    const endAt = performance.now() + withinMs - stopPatienceMs - restOfStopMs;
    this.drain.end();
    clearInterval(this.lookTimer);
    await this.publisher.settled();
    if (!this.drain.isFailing) await this.drain.ended(Math.max(0, endAt - performance.now()));
    this.drain.stop();
    await this.drain.ended(stopPatienceMs);
    await this.publisher.stop();
    await this.spool.close();
  }

  private toKafka(messages: readonly OutgoingMessage[], at = performance.now()): Promise<void> {
    const parts = partsOf(messages);
    return parts.length === 1 ? this.publisher.publish(messages, at) : this.partsToKafka(parts, at);
  }

  /** One after the other, so that the rest of the request can follow a part to the disk. */
  private async partsToKafka(parts: readonly (readonly OutgoingMessage[])[], at: number): Promise<void> {
    for (const [index, part] of parts.entries()) {
      const isSlow = performance.now() - at > maxPartsMs;
      if (isSlow) this.breaker.open('Kafka is too slow for a large request');
      if (this.breaker.isOpen) return this.disk.write(parts.slice(index).flat(), false);
      await this.publisher.publish(part);
    }
  }

  /** Finds what others left; what there is has to be in Kafka before anything that is accepted from now on. */
  private async look(): Promise<void> {
    try {
      await this.spool.look();
    } catch (error) {
      this.logger.error({ msg: 'the spool cannot be used', error: String(error) });
    }
    // Also of a disk that takes nothing new.
    if (this.spool.state.rows > 0) this.breaker.open('messages of another process were found');
  }
}
