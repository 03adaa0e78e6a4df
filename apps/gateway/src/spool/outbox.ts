import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type OutgoingMessage, cutIntoSends, Publisher, type Sender } from '@sluice/kafka';
import { Breaker } from './breaker.js';
import { SpoolDisk, DiskFallback } from './disk-fallback.js';
import { DrainRate } from './drain-rate.js';
import { PoisonMessages } from './poison-messages.js';
import { type Spool } from './spool.js';
import { SpoolDrain } from './spool-drain.js';

/** Time that a start waits for Kafka before it continues without it. */
const startTimeoutMs = 2_000;
/** Time that a stop waits for the pending attempt, and time that it reserves for the steps after the spool. */
const stopTimeoutMs = 2_000;
const restOfStopMs = 2_000;
const lookEveryMs = 5_000;
/** Time in which the parts of a large request go to Kafka in turn; later parts go to the disk. */
const maxPartsMs = 1_000;

/** State of the spool and its breaker, for health checks, metrics and admission. */
export interface OutboxState {
  /** Closed: requests go to Kafka. Open: they go to the disk, behind its backlog. */
  readonly breaker: 'closed' | 'open';
  readonly rows: number;
  readonly bytes: number;
  /** Bytes at which the spool is full. */
  readonly limitBytes: number;
  readonly oldestAgeSeconds: number;
  readonly drainedPerSecond: number;
  readonly refused: number;
  readonly damaged: number;
  /** Reason why no message can be made durable now; undefined when messages can. */
  readonly unavailableReason: string | undefined;
  /** Reason why the disk takes no messages now, also while it is not needed; undefined when it works. */
  readonly diskFailure: string | undefined;
  /** Time after which a refused client should retry. */
  readonly retryAfterSeconds: number;
}

/**
 * Makes messages durable: in Kafka, or on the disk while Kafka is unavailable. After the first failure a breaker sends
 * later messages directly to the disk, behind its backlog, until the whole backlog is in Kafka. So the messages of a
 * client that waits for its answers are in Kafka in the order in which it sent them.
 */
export class Outbox {
  private readonly logger = new Logger(Outbox.name);
  private readonly rate = new DrainRate();
  private readonly disk: SpoolDisk;
  private readonly breaker: Breaker;
  private readonly publisher: Publisher;
  private readonly drain: SpoolDrain;
  private lookTimer: NodeJS.Timeout | undefined;

  constructor(
    sender: Sender,
    private readonly spool: Spool,
  ) {
    const { rate } = this;
    const disk = new SpoolDisk(sender, spool, rate);
    const breaker = new Breaker((messages) => disk.write(messages, false));
    const poison = new PoisonMessages(sender, spool);
    const fallback = new DiskFallback(poison, breaker, disk);
    this.disk = disk;
    this.breaker = breaker;
    this.publisher = new Publisher(sender, (messages, isInDoubt, why) => fallback.take(messages, isInDoubt, why));
    const toKafka = (messages: readonly OutgoingMessage[], acceptedAt: number): Promise<void> =>
      this.toKafka(messages, acceptedAt);
    this.drain = new SpoolDrain({ sender, spool, poison, breaker, rate, toKafka });
  }

  get state(): OutboxState {
    const { rows, bytes, refused, damaged } = this.spool.state;
    const { isOpen } = this.breaker;
    return {
      breaker: isOpen ? 'open' : 'closed',
      rows,
      bytes,
      limitBytes: this.spool.limitBytes,
      oldestAgeSeconds: this.spool.oldestAgeMs / 1_000,
      drainedPerSecond: this.rate.perSecond,
      refused,
      damaged,
      unavailableReason: isOpen ? this.spool.unavailableReason : undefined,
      diskFailure: this.spool.unavailableReason,
      retryAfterSeconds: this.disk.retryAfterSeconds,
    };
  }

  /** Requests that were refused because their source held its part of the spool, by source. */
  get refusedBySource(): ReadonlyMap<string, number> {
    return this.spool.parts.refused;
  }

  /** Never throws: without Kafka the breaker is open; if the disk fails too, requests are refused until one works. */
  async start(): Promise<void> {
    await this.look();
    const connected = this.publisher.start().then(
      () => true,
      () => false,
    );
    const isConnected = await Promise.race([connected, sleep(startTimeoutMs, false, { ref: false })]);
    if (isConnected && this.spool.isEmpty) this.breaker.beginClosed();
    else this.drain.start();
    this.lookTimer = setInterval(() => void this.look(), lookEveryMs).unref();
  }

  /**
   * Resolves when every message is acknowledged by all in-sync replicas of Kafka, or on the disk.
   * @throws NotPublishedError when neither is certain within 5 s.
   */
  publish(messages: readonly OutgoingMessage[]): Promise<void> {
    return this.breaker.isOpen ? this.breaker.take(messages) : this.toKafka(messages);
  }

  /**
   * Must be called when publishing has ended. Empties the spool within `withinMs` if Kafka takes messages; the next
   * process delivers the rest from the disk.
   */
  async stop(withinMs: number): Promise<void> {
    const endAt = performance.now() + withinMs - stopTimeoutMs - restOfStopMs;
    this.drain.end();
    clearInterval(this.lookTimer);
    await this.publisher.settled();
    if (!this.drain.isFailing) await this.drain.ended(Math.max(0, endAt - performance.now()));
    this.drain.stop();
    await this.drain.ended(stopTimeoutMs);
    await this.publisher.stop();
    // This line is all that a removed gateway leaves: its disk must be kept while messages wait on it.
    this.logger.log({ msg: 'the spool is closed', waiting: this.spool.state.rows });
    await this.spool.close();
  }

  private toKafka(messages: readonly OutgoingMessage[], acceptedAt = performance.now()): Promise<void> {
    const parts = cutIntoSends(messages);
    return parts.length === 1 ? this.publisher.publish(messages, acceptedAt) : this.partsToKafka(parts, acceptedAt);
  }

  /** Sends parts in turn, so that later parts can follow a failed one to the disk. */
  private async partsToKafka(parts: readonly (readonly OutgoingMessage[])[], acceptedAt: number): Promise<void> {
    for (const [index, part] of parts.entries()) {
      const isSlow = performance.now() - acceptedAt > maxPartsMs;
      if (isSlow) this.breaker.open('Kafka is too slow for a large request');
      if (this.breaker.isOpen) return this.disk.write(parts.slice(index).flat(), false);
      await this.publisher.publish(part);
    }
  }

  /** Finds messages of other processes, which must be in Kafka before any message that is accepted later. */
  private async look(): Promise<void> {
    try {
      await this.spool.look();
    } catch (error) {
      this.logger.error({ msg: 'the spool cannot be used', error: String(error) });
    }
    // Checked also when the look failed: a full disk can still have messages.
    if (this.spool.state.rows > 0) this.breaker.open('messages of another process were found');
  }
}
