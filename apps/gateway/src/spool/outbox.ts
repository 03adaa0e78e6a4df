import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { NotPublishedError, type OutgoingMessage, type Publisher } from '@sluice/kafka';
import { DrainRate } from './drain-rate.js';
import { markedAsRepeat, type Spool } from './spool.js';
import { type SpooledMessage } from './spooled-message.js';

/** How long a start waits for Kafka before it goes on without. */
const startPatienceMs = 2_000;
/** How long a stop waits for the attempt that is under way, and how much time it leaves to what comes after the spool. */
const stopPatienceMs = 2_000;
const restOfStopMs = 2_000;
/** After so many failures in a row a stop leaves the spool to the next process. */
const failuresOfStop = 3;
const lookEveryMs = 5_000;
const firstPauseMs = 500;
const longestPauseMs = 5_000;
/** After so many failed sends, while Kafka answers otherwise, their connections and what they know are given up. */
const failuresPerConnection = 2;

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
  readonly refusal: string | undefined;
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
  private readonly stopping = new AbortController();
  private isOpen = true;
  private isEnding = false;
  /** Attempts to empty the spool that failed one after the other. */
  private failures = 0;
  private failedSends = 0;
  private draining: Promise<void> | undefined;
  private lookTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly publisher: Publisher,
    private readonly spool: Spool,
  ) {
    publisher.divertTo((messages, isInDoubt) => {
      this.open('Kafka did not take what it was sent');
      return this.write(messages, isInDoubt);
    });
  }

  get state(): OutboxState {
    const { rows, bytes, refused, damaged } = this.spool.state;
    return {
      breaker: this.isOpen ? 'open' : 'closed',
      rows,
      bytes,
      oldestAgeSeconds: this.spool.oldestAgeMs / 1_000,
      drainedPerSecond: this.rate.perSecond,
      refused,
      damaged,
      refusal: this.isOpen ? this.spool.refusal : undefined,
      retryAfterSeconds: this.rate.secondsToFree(rows),
    };
  }

  private get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  /** Never throws: without Kafka the breaker is open, with a disk that fails nothing is durable until it works. */
  async start(): Promise<void> {
    await this.look();
    const connected = this.publisher.start().then(
      () => true,
      () => false,
    );
    const isConnected = await Promise.race([connected, sleep(startPatienceMs, false, { ref: false })]);
    if (isConnected && this.spool.isEmpty) this.isOpen = false;
    else this.drain();
    this.lookTimer = setInterval(() => void this.look(), lookEveryMs).unref();
  }

  /**
   * Resolves when every message is acknowledged by all in-sync replicas of Kafka, or on the disk.
   * @throws NotPublishedError when neither is known within 5 s.
   */
  publish(messages: readonly OutgoingMessage[]): Promise<void> {
    return this.isOpen ? this.write(messages, false) : this.publisher.publish(messages);
  }

  /**
   * To be called when nothing is published any more. While Kafka takes them, it empties the spool for as long as fits into
   * `withinMs`; what is left on the disk is there for the next process.
   */
  async stop(withinMs: number): Promise<void> {
    const endAt = performance.now() + withinMs - stopPatienceMs - restOfStopMs;
    this.isEnding = true;
    clearInterval(this.lookTimer);
    await this.publisher.settled();
    if (this.failures === 0) await this.untilDrained(Math.max(0, endAt - performance.now()));
    this.stopping.abort();
    await this.untilDrained(stopPatienceMs);
    await this.publisher.stop();
    await this.spool.close();
  }

  private async untilDrained(patienceMs: number): Promise<void> {
    await Promise.race([this.draining, sleep(patienceMs, undefined, { ref: false })]);
  }

  private async write(messages: readonly OutgoingMessage[], isInDoubt: boolean): Promise<void> {
    try {
      await this.spool.write(messages, isInDoubt);
    } catch (error) {
      if (!(error instanceof NotPublishedError)) throw error;
      const { retryAfterSeconds } = this.state;
      throw new NotPublishedError(error.message, { cause: error.cause, retryAfterSeconds });
    }
  }

  private open(why: string): void {
    if (this.isOpen) return;
    this.isOpen = true;
    this.logger.warn(`${why}: new messages go to the disk`);
    this.drain();
  }

  private close(): void {
    this.isOpen = false;
    this.logger.log('all messages of the disk are in Kafka, as new ones will be');
  }

  private drain(): void {
    this.draining ??= this.drainUntilClosed();
  }

  /** Finds what others left; what there is has to be in Kafka before anything that is accepted from now on. */
  private async look(): Promise<void> {
    try {
      await this.spool.look();
      if (this.spool.state.rows > 0) this.open('messages of another process were found');
    } catch (error) {
      this.logger.error({ msg: 'the spool cannot be used', error: String(error) });
    }
  }

  private async drainUntilClosed(): Promise<void> {
    this.failures = 0;
    do {
      // Jitter, so that the gateways of a cluster do not come back all at once.
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** this.failures) * (0.75 + Math.random() / 2);
      await sleep(pauseMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      if (this.isStopping) break;
      try {
        await this.publisher.start();
        this.failures = this.failedSends;
        await this.renewConnection();
        await this.drainAll();
      } catch (error) {
        this.failures += 1;
        this.rate.reset();
        this.logger.warn({ msg: 'the spool could not be emptied yet', error: String(error) });
      }
      if (this.isEnding && this.failures >= failuresOfStop) break;
    } while (this.isOpen);
    // In the same tick as the last look at `isOpen`: who opens from now on starts it anew.
    this.draining = undefined;
  }

  /**
   * Kafka answers, but not the sends: their connection leads nowhere, or kafkajs keeps a list of leaders from when there
   * were none. Not before: on the connection it was sent on, a message in doubt arrives before its repeat.
   */
  private async renewConnection(): Promise<void> {
    if (this.failedSends < failuresPerConnection) return;
    this.failedSends = 0;
    await this.publisher.reconnect();
  }

  /** One batch after the other, so that none can overtake one that failed. */
  private async drainAll(): Promise<void> {
    while (!this.isStopping) {
      const batch = await this.spool.next();
      if (batch.length > 0) {
        await this.deliver(batch, false);
        this.spool.delivered();
        this.failedSends = 0;
        this.rate.add(batch.length);
      } else if (this.spool.isEmpty) {
        this.close();
        return;
      }
    }
  }

  /** A batch that Kafka refuses is cut until the bad messages stand alone. @throws NotPublishedError, SpoolError */
  private async deliver(messages: readonly SpooledMessage[], isRepeat: boolean): Promise<void> {
    try {
      await this.publisher.send(toPublish(messages, isRepeat));
    } catch (error) {
      const refusal = error instanceof NotPublishedError ? error.refusal : undefined;
      if (refusal === undefined) {
        this.failedSends += 1;
        throw error;
      }
      if (messages.length === 1) {
        this.logger.error({ msg: 'Kafka refused a message for good; it is in the refused file', error: refusal });
        await this.spool.refuse(messages, refusal);
        return;
      }
      const half = messages.length >> 1;
      await this.deliver(messages.slice(0, half), true);
      await this.deliver(messages.slice(half), true);
    }
  }
}

/** The messages of a request share their headers, which are read, and later encoded, once. */
function toPublish(messages: readonly SpooledMessage[], isRepeat: boolean): OutgoingMessage[] {
  const read = new Map<string, OutgoingMessage['headers']>();
  return messages.map(({ topic, key, value, headers: text, wasTried }) => {
    const isMarked = isRepeat || wasTried;
    const known = `${isMarked}${text}`;
    const headers = read.get(known) ?? headersOf(text, isMarked);
    read.set(known, headers);
    return { topic, key, value: typeof value === 'string' ? value : Buffer.from(value), headers };
  });
}

function headersOf(text: string, isMarked: boolean): OutgoingMessage['headers'] {
  const headers = JSON.parse(text) as OutgoingMessage['headers'];
  return isMarked ? markedAsRepeat(headers) : headers;
}
