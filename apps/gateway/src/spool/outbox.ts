import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { markedAsRepeat, NotPublishedError, type OutgoingMessage, partsOf, type Publisher } from '@sluice/kafka';
import { DrainRate } from './drain-rate.js';
import { FailingTopics } from './failing-topics.js';
import { HeldRequests } from './held-requests.js';
import { type Spool } from './spool.js';
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

/** When no more than this waits on the disk, new requests wait in memory for it to be empty. */
const lastRows = 2_000;
const lastBytes = 4 * 1024 * 1024;
/** After requests were held in vain, the next ones are not. */
const holdAgainMs = 3_000;
/** How long the good messages of a request that holds a refused one are tried before it goes to the disk. */
const sortOutMs = 1_000;
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
  readonly refusal: string | undefined;
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
  private readonly failing = new FailingTopics();
  private readonly stopping = new AbortController();
  private isOpen = true;
  private isEnding = false;
  /** Attempts to empty the spool that failed one after the other. */
  private failures = 0;
  private failedSends = 0;
  private draining: Promise<void> | undefined;
  private held: HeldRequests | undefined;
  private mayHoldAt = 0;
  private lookTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly publisher: Publisher,
    private readonly spool: Spool,
  ) {
    publisher.divertTo((messages, isInDoubt, why) => this.divert(messages, isInDoubt, why));
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
      diskFailure: this.spool.refusal,
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
    if (!this.isOpen) return this.toKafka(messages);
    return this.held ? this.held.hold(messages) : this.write(messages, false);
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

  private toKafka(messages: readonly OutgoingMessage[], at = performance.now()): Promise<void> {
    const parts = partsOf(messages);
    return parts.length === 1 ? this.publisher.publish(messages, at) : this.partsToKafka(parts, at);
  }

  /** One after the other, so that the rest of the request can follow a part to the disk. */
  private async partsToKafka(parts: readonly (readonly OutgoingMessage[])[], at: number): Promise<void> {
    for (const [index, part] of parts.entries()) {
      const isSlow = performance.now() - at > maxPartsMs;
      if (isSlow) this.open('Kafka is too slow for a large request');
      if (this.isOpen) return this.write(parts.slice(index).flat(), false);
      await this.publisher.publish(part);
    }
  }

  private async divert(
    messages: readonly OutgoingMessage[],
    isInDoubt: boolean,
    why: NotPublishedError,
  ): Promise<void> {
    if (why.topicFailure !== undefined) this.refuseGivenUp(messages, why);
    if (why.isMessageFault && (await this.isSortedOut(messages, isInDoubt))) return;
    this.open(`Kafka did not take what it was sent (${why.message})`);
    await this.write(messages, isInDoubt);
  }

  /**
   * Kafka refused one of the messages, or one that was sent with them: the good ones go to Kafka, the bad ones into the
   * refused file, and nobody else's to the disk. False when that did not succeed in time.
   */
  private async isSortedOut(messages: readonly OutgoingMessage[], isRepeat: boolean): Promise<boolean> {
    const sorted = this.deliver(toSpooled(messages, isRepeat), isRepeat).then(
      () => true,
      () => false,
    );
    return Promise.race([sorted, sleep(sortOutMs, false, { ref: false })]);
  }

  /** What was accepted went to the refused file, after a time; no more is accepted. @throws NotPublishedError */
  private refuseGivenUp(messages: readonly OutgoingMessage[], cause: NotPublishedError): void {
    const { topic } = messages.find((message) => this.failing.isGivenUp(message.topic)) ?? {};
    if (topic === undefined) return;
    this.failing.failed(topic);
    const { retryAfterSeconds } = this.state;
    throw new NotPublishedError('its topic is unknown or forbidden', { cause, retryAfterSeconds });
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

  /** In one tick: no request comes between those that were held and the next one. */
  private close(): void {
    this.isOpen = false;
    const { held } = this;
    this.held = undefined;
    void held?.release((messages, at) => this.toKafka(messages, at));
    this.logger.log('all messages of the disk are in Kafka, as new ones will be');
  }

  /**
   * Nearly empty: what came to the disk now would keep the breaker open for as long as anybody sends anything. Held
   * requests are bounded, in time too, and go to the disk when the rest of it does not reach Kafka.
   */
  private hold(): void {
    const { rows, bytes } = this.spool.state;
    if (this.held || rows > lastRows || bytes > lastBytes || performance.now() < this.mayHoldAt) return;
    this.held = new HeldRequests(() => void this.holdNoLonger());
  }

  private async holdNoLonger(): Promise<void> {
    const { held } = this;
    if (!held) return;
    this.held = undefined;
    this.mayHoldAt = performance.now() + holdAgainMs;
    await held.release((messages) => this.write(messages, false));
  }

  private drain(): void {
    this.draining ??= this.drainUntilClosed();
  }

  /** Finds what others left; what there is has to be in Kafka before anything that is accepted from now on. */
  private async look(): Promise<void> {
    try {
      await this.spool.look();
    } catch (error) {
      this.logger.error({ msg: 'the spool cannot be used', error: String(error) });
    }
    // Also of a disk that takes nothing new.
    if (this.spool.state.rows > 0) this.open('messages of another process were found');
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
        void this.holdNoLonger();
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
    let hasDelivered = false;
    while (!this.isStopping) {
      // Not before Kafka has taken something: requests would wait in vain.
      if (hasDelivered) this.hold();
      const batch = await this.spool.next();
      if (batch.length > 0) {
        await this.deliver(batch, false);
        this.spool.delivered();
        hasDelivered = true;
        this.failedSends = 0;
        this.rate.add(batch.length);
      } else if (this.spool.isEmpty) {
        this.close();
        return;
      }
    }
    await this.holdNoLonger();
  }

  /**
   * A batch that Kafka refuses is cut until the bad messages stand alone, one that a topic fails is cut by topics.
   * @throws NotPublishedError, SpoolError
   */
  private async deliver(messages: readonly SpooledMessage[], isRepeat: boolean): Promise<void> {
    try {
      await this.publisher.send(toPublish(messages, isRepeat));
      this.failing.succeeded(messages.map(({ topic }) => topic));
    } catch (error) {
      if (!(error instanceof NotPublishedError && error.isMessageFault)) {
        this.failedSends += 1;
        throw error;
      }
      const parts = error.permanentErrorType === undefined ? byTopic(messages) : halves(messages);
      if (parts.length > 1) await this.deliverParts(parts);
      else await this.giveUpOn(messages, error);
    }
  }

  /** Those of other topics too when one fails. */
  private async deliverParts(parts: readonly (readonly SpooledMessage[])[]): Promise<void> {
    let failure: NotPublishedError | undefined;
    for (const part of parts) {
      try {
        await this.deliver(part, true);
      } catch (error) {
        if (!(error instanceof NotPublishedError) || error.topicFailure === undefined) throw error;
        failure = error;
      }
    }
    if (failure) throw failure;
  }

  /** @param messages one that is refused, or those of a topic that fails. @throws the failure of a topic that is new */
  private async giveUpOn(messages: readonly SpooledMessage[], error: NotPublishedError): Promise<void> {
    const [topic = ''] = messages.map((message) => message.topic);
    if (error.permanentErrorType === undefined) {
      this.failing.failed(topic);
      if (!this.failing.isGivenUp(topic)) throw error;
    }
    const reason = error.permanentErrorType ?? error.topicFailure ?? error.message;
    const count = messages.length;
    this.logger.error({
      msg: 'Kafka refused messages for good; they are in the refused file',
      error: reason,
      topic,
      count,
    });
    await this.spool.refuse(messages, reason);
  }
}

function byTopic(messages: readonly SpooledMessage[]): SpooledMessage[][] {
  return [...Map.groupBy(messages, ({ topic }) => topic).values()];
}

function halves(messages: readonly SpooledMessage[]): (readonly SpooledMessage[])[] {
  const half = messages.length >> 1;
  return half === 0 ? [messages] : [messages.slice(0, half), messages.slice(half)];
}

/** As if they had been on the disk. */
function toSpooled(messages: readonly OutgoingMessage[], wasTried: boolean): SpooledMessage[] {
  const at = Date.now();
  return messages.map(({ headers, ...message }) => ({
    ...message,
    headers: JSON.stringify(headers),
    seq: 0,
    at,
    wasTried,
  }));
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
