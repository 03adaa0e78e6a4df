import { Logger } from '@nestjs/common';
import { type GatheredSend, Gathering } from './gathering.js';
import { isLeaderError, NotPublishedError } from './not-published-error.js';
import { type OutgoingMessage } from './outgoing-message.js';
import { type SendBatch } from './send-batch.js';
import { type Sender } from './sender.js';

/**
 * Takes over messages that were not published. `isInDoubt` means that Kafka may have stored them all the same; their
 * `partition` is then the one that they were sent to.
 */
export type Fallback = (
  messages: readonly OutgoingMessage[],
  isInDoubt: boolean,
  why: NotPublishedError,
) => Promise<void>;

/** Maximum wait before a send. With the deadlines of Kafka and of the disk after it, a longer wait could exceed 5 s. */
const maxWaitMs = 750;
/** Time after which all messages in flight are acknowledged or given up. */
const noRoomRetrySeconds = 2;
/**
 * Upper bound of sends under way. Further messages gather into larger sends. When Kafka becomes unreachable, only these
 * sends are in doubt and ask kafkajs for a new connection.
 */
const maxSends = 16;

/** Gathers the messages of concurrent requests for a few milliseconds and publishes them in one send. */
export class Publisher {
  private readonly logger = new Logger(Publisher.name);
  private readonly gathering = new Gathering(() => this.sendReady());
  private readonly sends = new Set<Promise<void>>();

  /** @param fallback takes messages that were not published; a request settles as the fallback does */
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
   * @param acceptedAt when the request was accepted (performance.now).
   * @throws the fallback's error, or without a fallback NotPublishedError; Kafka may have stored some messages all the
   * same. NotPublishedError at once when there is no room: too much load does not mean that Kafka is unreachable.
   */
  publish(messages: readonly OutgoingMessage[], acceptedAt = performance.now()): Promise<void> {
    const sizes = messages.map(({ value }) => Buffer.byteLength(value));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    if (!this.gathering.hasRoomFor(messages.length, bytes)) {
      this.sender.metrics.noRoom();
      const retryAfterSeconds = noRoomRetrySeconds;
      return Promise.reject(new NotPublishedError('too many messages in flight', { retryAfterSeconds }));
    }
    const topicError = this.sender.findUnknownTopic(messages);
    return topicError ? this.notSent(messages, topicError) : this.gathering.add(messages, sizes, bytes, acceptedAt);
  }

  /** Resolves when no message is waiting or under way any more. */
  async settled(): Promise<void> {
    this.gathering.flush();
    while (this.sends.size > 0) await Promise.all(this.sends);
  }

  /** Publishes the waiting messages, then disconnects. */
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
   * A request fails if one of its partitions was not acknowledged. A send that fails as a whole fails all its requests,
   * because kafkajs does not say which partitions took their messages.
   */
  private async sendGathered(gathered: GatheredSend): Promise<void> {
    const { requests } = gathered;
    const batch = this.sender.newBatch();
    const partitionsOfRequests = requests.map(({ messages, sizes }) =>
      messages.map((message, index) => batch.place(message, sizes[index])),
    );
    const sending = this.sender.sendBatch(batch).catch((error: unknown) => this.sendAgain(batch, error));
    const release = (): void => this.gathering.release(gathered);
    sending.then(release, release);
    try {
      // kafkajs' own time-outs for connecting and for the request add up; this deadline covers both.
      const acknowledged = await this.sender.untilAcknowledged(sending, gathered.messages);
      for (const [index, { messages, resolve, reject }] of requests.entries()) {
        if (partitionsOfRequests[index]?.every((partition) => acknowledged.has(partition))) resolve();
        else
          this.inDoubt(batch, messages, new NotPublishedError('a partition was not acknowledged')).then(
            resolve,
            reject,
          );
      }
    } catch (error) {
      this.logger.warn({ msg: 'send failed', error: String(error) });
      const failure = new NotPublishedError('Kafka did not acknowledge', { cause: error });
      for (const { messages, resolve, reject } of requests)
        this.inDoubt(batch, messages, failure).then(resolve, reject);
      if (!failure.isMessageFault) this.giveUpWaiting();
    }
  }

  /**
   * Sends the batch once more, within the same deadline, after a leader error: kafkajs knows the new leader by now.
   * Other partitions may have taken their messages, so all are marked as repeats.
   * @throws the error if it is another one, or the deadline is over
   */
  private sendAgain(batch: SendBatch, error: unknown): Promise<Set<string>> {
    if (!isLeaderError(error) || batch.isLate) throw error;
    this.logger.warn({ msg: 'sent again: a partition has a new leader', error: String(error) });
    batch.markAsRepeat();
    return this.sender.sendBatch(batch);
  }

  /** Gives up the waiting sends after one has failed, as they would fail too. Unsent messages are not in doubt. */
  private giveUpWaiting(): void {
    const unreachable = new NotPublishedError('Kafka is unreachable');
    for (const gathered of this.gathering.takeAll()) this.giveUp(gathered, unreachable);
  }

  private giveUp(gathered: GatheredSend, why: NotPublishedError): void {
    this.gathering.release(gathered);
    for (const { messages, resolve, reject } of gathered.requests) this.notSent(messages, why).then(resolve, reject);
  }

  private inDoubt(batch: SendBatch, messages: readonly OutgoingMessage[], why: NotPublishedError): Promise<void> {
    batch.pin(messages);
    return this.fallback?.(messages, true, why) ?? Promise.reject(why);
  }

  private notSent(messages: readonly OutgoingMessage[], why: NotPublishedError): Promise<void> {
    return this.fallback?.(messages, false, why) ?? Promise.reject(why);
  }
}
