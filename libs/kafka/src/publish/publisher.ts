import { Logger } from '@nestjs/common';
import { type GatheredSend, Gathering } from './gathering.js';
import { isLeaderError, NotPublishedError } from './not-published-error.js';
import { type OutgoingMessage } from './outgoing-message.js';
import { type SendBatch } from './send-batch.js';
import { type Sender } from './sender.js';

/** Takes over messages that were not published. In doubt are those that Kafka may have stored all the same. */
export type Fallback = (
  messages: readonly OutgoingMessage[],
  isInDoubt: boolean,
  why: NotPublishedError,
) => Promise<void>;

/** What has waited for longer is not sent any more: with both deadlines behind it, Kafka's and the disk's, 5 s would pass. */
const maxWaitMs = 750;
/** By then what is in flight is acknowledged, or given up. */
const noRoomRetrySeconds = 2;
/**
 * What waits beyond these is gathered into larger sends; and when Kafka goes away, no more than these are in doubt and
 * ask kafkajs for a new connection.
 */
const maxSends = 16;

/** Gathers the messages of concurrent requests for a few milliseconds and publishes them in one send. */
export class Publisher {
  private readonly logger = new Logger(Publisher.name);
  private readonly gathering = new Gathering(() => {
    this.sendReady();
  });
  private readonly sends = new Set<Promise<void>>();

  /** @param fallback takes messages that are not published; their request is answered as it settles. */
  constructor(
    private readonly sender: Sender,
    private readonly fallback?: Fallback,
  ) {
    sender.metrics.inFlight = () => this.gathering.messages;
  }

  /** @see Sender.start */
  start(): Promise<void> {
    return this.sender.start();
  }

  /**
   * Resolves when every message is acknowledged by all in-sync replicas, or the fallback has taken them.
   * @param at when the request was accepted (performance.now).
   * @throws NotPublishedError when that did not happen; some of the messages may have been stored all the same. At once
   * when there is no room: that is load, and no reason to believe that Kafka is away.
   */
  publish(messages: readonly OutgoingMessage[], at = performance.now()): Promise<void> {
    const sizes = messages.map(({ value }) => Buffer.byteLength(value));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    if (!this.gathering.hasRoomFor(messages.length, bytes)) {
      this.sender.metrics.noRoom();
      const retryAfterSeconds = noRoomRetrySeconds;
      return Promise.reject(new NotPublishedError('too many messages in flight', { retryAfterSeconds }));
    }
    const unknown = this.sender.unknownTopicOf(messages);
    return unknown ? this.notSent(messages, unknown) : this.gathering.add(messages, sizes, bytes, at);
  }

  /** Resolves when nothing is waiting or under way any more. */
  async settled(): Promise<void> {
    this.gathering.flush();
    while (this.sends.size > 0) await Promise.all(this.sends);
  }

  /** Publishes what is waiting, then disconnects. */
  async stop(): Promise<void> {
    await this.settled();
    await this.sender.stop();
  }

  private sendReady(): void {
    while (this.sends.size < maxSends) {
      const gathered = this.gathering.take();
      if (!gathered) return;
      if (gathered.oldestAt + maxWaitMs < performance.now()) {
        this.giveUp(gathered, new NotPublishedError('Kafka is too slow'));
        continue;
      }
      const send = this.sendGathered(gathered).finally(() => {
        this.sends.delete(send);
        this.sendReady();
      });
      this.sends.add(send);
    }
  }

  /**
   * A request fails if one of its partitions was not acknowledged. A send that fails as a whole fails all of its requests:
   * kafkajs does not say what of it arrived.
   */
  private async sendGathered(gathered: GatheredSend): Promise<void> {
    const { requests } = gathered;
    const batch = this.sender.newBatch();
    const awaited = requests.map(({ messages, sizes }) =>
      messages.map((message, index) => batch.place(message, sizes[index])),
    );
    const sending = this.sender.sendBatch(batch).catch((error: unknown) => this.sendAgain(batch, error));
    const release = (): void => {
      this.gathering.release(gathered);
    };
    sending.then(release, release);
    try {
      // kafkajs waits for connections and for requests one after the other; no request of a client waits for both.
      const acknowledged = await this.sender.untilAcknowledged(sending, gathered.messages);
      for (const [index, { messages, resolve, reject }] of requests.entries()) {
        if (awaited[index]?.every((partition) => acknowledged.has(partition))) resolve();
        else this.inDoubt(messages, new NotPublishedError('a partition was not acknowledged')).then(resolve, reject);
      }
    } catch (error) {
      this.logger.warn({ msg: 'send failed', error: String(error) });
      const failure = new NotPublishedError('Kafka did not acknowledge', { cause: error });
      for (const { messages, resolve, reject } of requests) this.inDoubt(messages, failure).then(resolve, reject);
      if (!failure.isMessageFault) this.giveUpWaiting();
    }
  }

  /**
   * Once more, within the same deadline, when a partition has only another leader by now: kafkajs has learnt of it. It
   * does not say what the other partitions did, so all of it may be a repeat. @throws the error when it is another
   */
  private sendAgain(batch: SendBatch, error: unknown): Promise<Set<string>> {
    if (!isLeaderError(error) || batch.isLate) throw error;
    this.logger.warn({ msg: 'sent again: a partition has a new leader', error: String(error) });
    batch.markAsRepeat();
    return this.sender.sendBatch(batch);
  }

  /** Where a send fails, those that wait behind it would fail later: they were not sent, so they are in no doubt. */
  private giveUpWaiting(): void {
    const away = new NotPublishedError('Kafka is away');
    for (const gathered of this.gathering.takeAll()) this.giveUp(gathered, away);
  }

  private giveUp(gathered: GatheredSend, why: NotPublishedError): void {
    this.gathering.release(gathered);
    for (const { messages, resolve, reject } of gathered.requests) this.notSent(messages, why).then(resolve, reject);
  }

  private inDoubt(messages: readonly OutgoingMessage[], why: NotPublishedError): Promise<void> {
    return this.fallback?.(messages, true, why) ?? Promise.reject(why);
  }

  private notSent(messages: readonly OutgoingMessage[], why: NotPublishedError): Promise<void> {
    return this.fallback?.(messages, false, why) ?? Promise.reject(why);
  }
}
