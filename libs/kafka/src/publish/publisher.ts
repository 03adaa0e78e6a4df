import { Logger } from '@nestjs/common';
import { Registry } from '@sluice/service';
import {
  CompressionTypes,
  type CompressionTypes as CompressionType,
  type IHeaders,
  type Kafka,
  type Producer,
} from '@sluice/kafkajs';
import { withAdmin } from '../connection/admin.js';
import { SendBatch } from './send-batch.js';
import { createPartitioner } from '../connection/client.js';
import { type KafkaCompression } from '../connection/config.js';
import { withinDeadline } from '../connection/deadline.js';
import { disconnected } from '../connection/disconnected.js';
import { isLeaderError, NotPublishedError } from './not-published-error.js';
import { PublishMetrics } from './publish-metrics.js';

/** A message for one topic; messages of one key keep their order. */
export interface OutgoingMessage {
  topic: string;
  key: string;
  value: string | Buffer;
  headers: IHeaders;
}

/** Takes over messages that were not published. In doubt are those that Kafka may have stored all the same. */
export type Fallback = (
  messages: readonly OutgoingMessage[],
  isInDoubt: boolean,
  why: NotPublishedError,
) => Promise<void>;

const lingerMs = 2;
/**
 * A request is answered within 5 s, and a message that was not acknowledged has then to be written to disk. Kafka that
 * needs longer than this is choosing leaders or is away: waiting on would only keep more requests in doubt.
 */
const deadlineMs = 2_000;
/** What has waited for longer is not sent any more: with both deadlines behind it, Kafka's and the disk's, 5 s would pass. */
const maxWaitMs = 750;
/** By then what is in flight is acknowledged, or given up. */
const noRoomRetrySeconds = 2;
const connectDeadlineMs = 8_000;
/**
 * What waits beyond these is gathered into larger sends; and when Kafka goes away, no more than these are in doubt and
 * ask kafkajs for a new connection.
 */
const maxSends = 16;
const maxMessagesPerSend = 2_000;
/** Half of what a topic takes in one batch, so that not even one partition's share of a send can be too large. */
const maxBytesPerSend = 1_000_000;
/** Of all that wait or are under way; those that kafkajs has not let go of after their deadline included. */
const maxMessagesHeld = 100_000;
const maxBytesHeld = 64 * 1024 * 1024;
/** Of UTF-8, for a unit of a string. */
const maxBytesPerUnit = 3;
const partitionRefreshMs = 60_000;

interface Waiting {
  messages: readonly OutgoingMessage[];
  /** Bytes of each message's value; counting them takes longer than writing them. */
  sizes: readonly number[];
  /** When its request was accepted (performance.now). */
  at: number;
  resolve: () => void;
  reject: (error: Error) => void;
}

/** The messages of some requests, for one send. */
class GatheredSend {
  readonly requests: Waiting[] = [];
  messages = 0;
  bytes = 0;

  get oldestAt(): number {
    return this.requests[0]?.at ?? Infinity;
  }
}

/** Gathers the messages of concurrent requests for a few milliseconds and publishes them in one send. */
export class Publisher {
  private readonly logger = new Logger(Publisher.name);
  private producer: Producer;
  private readonly compression: CompressionType;
  private readonly metrics: PublishMetrics;
  private readonly partitions = new Map<string, number>();
  /** Topics of which Kafka did not tell the partitions when it was last asked, and why. */
  private readonly unreadable = new Map<string, unknown>();
  private fallback: Fallback | undefined;
  private gathering = new GatheredSend();
  /** Full, and waiting for one of the sends to end. */
  private waiting: GatheredSend[] = [];
  private readonly sends = new Set<Promise<void>>();
  private heldMessages = 0;
  private heldBytes = 0;
  private linger: NodeJS.Timeout | undefined;
  private refresh: NodeJS.Timeout | undefined;

  constructor(
    private readonly kafka: Kafka,
    private readonly topics: readonly string[],
    compression: KafkaCompression = 'none',
    registry = new Registry(),
  ) {
    this.metrics = new PublishMetrics(registry, () => ({ messages: this.heldMessages }));
    this.compression = compression === 'zstd' ? CompressionTypes.ZSTD : CompressionTypes.None;
    this.producer = this.createProducer();
  }

  /** Messages that are not published go there from now on, and their request is answered as the fallback settles. */
  divertTo(fallback: Fallback): void {
    this.fallback = fallback;
  }

  /**
   * Connects and learns of the topics' partitions, without which nothing can be published. May be called again: it
   * resolves when Kafka answers.
   * @throws when Kafka cannot be reached within 8 s.
   */
  async start(): Promise<void> {
    const connected = this.producer.connect().then(() => this.readPartitions());
    await withinDeadline(connected, connectDeadlineMs, 'no connection to Kafka');
    this.refresh ??= setInterval(() => {
      this.readPartitions().catch((error: unknown) => {
        this.logger.warn({ msg: 'could not read the number of partitions', error: String(error) });
      });
    }, partitionRefreshMs).unref();
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
    if (this.heldMessages + messages.length > maxMessagesHeld || this.heldBytes + bytes > maxBytesHeld) {
      this.metrics.noRoom();
      const retryAfterSeconds = noRoomRetrySeconds;
      return Promise.reject(new NotPublishedError('too many messages in flight', { retryAfterSeconds }));
    }
    const unknown = this.unknownTopicOf(messages);
    if (unknown) return this.notSent(messages, unknown);
    if (this.gathering.bytes + bytes > maxBytesPerSend) this.flush();
    return new Promise((resolve, reject) => {
      const { gathering } = this;
      gathering.requests.push({ messages, sizes, at, resolve, reject });
      gathering.messages += messages.length;
      gathering.bytes += bytes;
      this.heldMessages += messages.length;
      this.heldBytes += bytes;
      if (gathering.messages >= maxMessagesPerSend) this.flush();
      else
        this.linger ??= setTimeout(() => {
          this.flush();
        }, lingerMs);
    });
  }

  /**
   * Why not all of the messages can be published, though Kafka was there: what one has to know of their topic it did not
   * tell. While all topics are known this asks nothing of a message; before the first start nobody knows any.
   */
  private unknownTopicOf(messages: readonly OutgoingMessage[]): NotPublishedError | undefined {
    const { partitions } = this;
    if (partitions.size === this.topics.length || partitions.size === 0) return undefined;
    const unknown = messages.find(({ topic }) => !partitions.has(topic));
    return unknown && new NotPublishedError('its topic is not known', { cause: this.unreadable.get(unknown.topic) });
  }

  /**
   * Publishes the messages in one send of their own, now; the fallback does not take them.
   * @throws NotPublishedError when not every one is acknowledged; which of them are is unknown.
   */
  async send(messages: readonly OutgoingMessage[]): Promise<void> {
    // Where a message goes would be a guess, which would part it from others of its key.
    const unknown = this.unknownTopicOf(messages);
    if (unknown) throw unknown;
    const batch = new SendBatch(this.partitions, performance.now() + deadlineMs);
    const awaited = messages.map((message) => batch.place(message));
    try {
      const acknowledged = await this.untilAcknowledged(this.sendBatch(batch), messages.length);
      if (awaited.every((partition) => acknowledged.has(partition))) return;
    } catch (error) {
      throw new NotPublishedError('Kafka did not acknowledge', { cause: error });
    }
    throw new NotPublishedError('a partition was not acknowledged');
  }

  /** Resolves when nothing is waiting or under way any more. */
  async settled(): Promise<void> {
    this.flush();
    while (this.sends.size > 0) await Promise.all(this.sends);
  }

  /** Gives up the connections, which may lead nowhere without anybody having said so, and makes new ones. */
  async reconnect(): Promise<void> {
    // kafkajs waits for the answers of a connection that it closes, without end (measured): the old one is left to it.
    const abandoned = this.producer;
    this.producer = this.createProducer();
    abandoned.disconnect().catch(() => undefined);
    await this.start();
  }

  /** Publishes what is waiting, then disconnects. */
  async stop(): Promise<void> {
    clearInterval(this.refresh);
    await this.settled();
    await disconnected(this.producer);
  }

  /** No retries inside kafkajs: a repeat it makes could not be told from a first send. */
  private createProducer(): Producer {
    return this.kafka.producer({ createPartitioner, allowAutoTopicCreation: false, retry: { retries: 0 } });
  }

  private flush(): void {
    clearTimeout(this.linger);
    this.linger = undefined;
    if (this.gathering.requests.length > 0) {
      this.waiting.push(this.gathering);
      this.gathering = new GatheredSend();
    }
    this.sendWaiting();
  }

  private sendWaiting(): void {
    while (this.sends.size < maxSends) {
      const gathered = this.waiting.shift();
      if (!gathered) return;
      if (gathered.oldestAt + maxWaitMs < performance.now()) {
        this.giveUp(gathered, new NotPublishedError('Kafka is too slow'));
        continue;
      }
      const send = this.sendGathered(gathered).finally(() => {
        this.sends.delete(send);
        this.sendWaiting();
      });
      this.sends.add(send);
    }
  }

  /**
   * A request fails if one of its partitions was not acknowledged. A send that fails as a whole fails all of its requests:
   * kafkajs does not say what of it arrived.
   */
  private async sendGathered({ requests, messages, bytes }: GatheredSend): Promise<void> {
    const batch = new SendBatch(this.partitions, performance.now() + deadlineMs);
    const awaited = requests.map(({ messages, sizes }) =>
      messages.map((message, index) => batch.place(message, sizes[index])),
    );
    const sending = this.sendBatch(batch).catch((error: unknown) => this.sendAgain(batch, error));
    const release = (): void => {
      this.heldMessages -= messages;
      this.heldBytes -= bytes;
    };
    sending.then(release, release);
    try {
      // kafkajs waits for connections and for requests one after the other; no request of a client waits for both.
      const acknowledged = await this.untilAcknowledged(sending, messages);
      for (const [index, request] of requests.entries()) {
        if (awaited[index]?.every((partition) => acknowledged.has(partition))) request.resolve();
        else this.fail(request, new NotPublishedError('a partition was not acknowledged'));
      }
    } catch (error) {
      this.logger.warn({ msg: 'send failed', error: String(error) });
      const failure = new NotPublishedError('Kafka did not acknowledge', { cause: error });
      for (const request of requests) this.fail(request, failure);
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
    return this.sendBatch(batch);
  }

  /** @throws when Kafka fails, or needs too long. */
  private async untilAcknowledged(sending: Promise<Set<string>>, messages: number): Promise<Set<string>> {
    const startedAt = performance.now();
    try {
      const acknowledged = await withinDeadline(sending, deadlineMs, 'no acknowledgement');
      this.metrics.sent(messages, performance.now() - startedAt);
      return acknowledged;
    } catch (error) {
      this.metrics.failed(error, performance.now() - startedAt);
      throw error;
    }
  }

  private fail({ messages, resolve, reject }: Waiting, error: NotPublishedError): void {
    if (this.fallback) this.fallback(messages, true, error).then(resolve, reject);
    else reject(error);
  }

  /** Where a send fails, those that wait behind it would fail later: they were not sent, so they are in no doubt. */
  private giveUpWaiting(): void {
    clearTimeout(this.linger);
    this.linger = undefined;
    const givenUp = [...this.waiting, this.gathering];
    this.waiting = [];
    this.gathering = new GatheredSend();
    const away = new NotPublishedError('Kafka is away');
    for (const gathered of givenUp) this.giveUp(gathered, away);
  }

  private giveUp({ requests, messages, bytes }: GatheredSend, why: NotPublishedError): void {
    this.heldMessages -= messages;
    this.heldBytes -= bytes;
    for (const request of requests) this.notSent(request.messages, why).then(request.resolve, request.reject);
  }

  private notSent(messages: readonly OutgoingMessage[], why: NotPublishedError): Promise<void> {
    return this.fallback?.(messages, false, why) ?? Promise.reject(why);
  }

  /**
   * The partitions that Kafka acknowledged, as `topic:partition`. kafkajs can resolve a send that spans two leaders
   * without having delivered to one of them (measured): only what is in the returned metadata counts.
   */
  private async sendBatch({ topicMessages }: SendBatch): Promise<Set<string>> {
    const { compression } = this;
    const metadata = await this.producer.sendBatch({ topicMessages, acks: -1, timeout: deadlineMs, compression });
    return new Set(metadata.map(({ topicName, partition }) => `${topicName}:${partition}`));
  }

  /** One by one: kafkajs answers for all or none, and one topic that is forbidden must not hold up the others. */
  private async readPartitions(): Promise<void> {
    const read = await withAdmin(this.kafka, (admin) =>
      Promise.allSettled(this.topics.map((topic) => admin.fetchTopicMetadata({ topics: [topic] }))),
    );
    for (const [index, one] of read.entries()) {
      const topic = this.topics[index] ?? '';
      const [found] = one.status === 'fulfilled' ? one.value.topics : [];
      if (found) this.partitions.set(topic, found.partitions.length);
      if (one.status === 'fulfilled') this.unreadable.delete(topic);
      else this.unreadable.set(topic, one.reason);
    }
    if (this.unreadable.size === 0) return;
    const [[topic, error] = []] = this.unreadable;
    if (this.unreadable.size === this.topics.length) throw error;
    this.logger.error({ msg: 'a topic cannot be published to', topic, error: String(error) });
  }
}

/** Cut so that each part fits into a send; a message that is too large for one stands alone. */
export function partsOf(messages: readonly OutgoingMessage[]): readonly (readonly OutgoingMessage[])[] {
  if (isSmall(messages)) return [messages];
  const parts: OutgoingMessage[][] = [];
  let part: OutgoingMessage[] = [];
  let partBytes = 0;
  for (const message of messages) {
    const bytes = Buffer.byteLength(message.value);
    if (part.length > 0 && (part.length >= maxMessagesPerSend || partBytes + bytes > maxBytesPerSend)) {
      parts.push(part);
      part = [];
      partBytes = 0;
    }
    part.push(message);
    partBytes += bytes;
  }
  return [...parts, part];
}

/** Most requests, without a look at every character. */
function isSmall(messages: readonly OutgoingMessage[]): boolean {
  if (messages.length <= 1) return true;
  let units = 0;
  for (const { value } of messages) units += value.length;
  return messages.length <= maxMessagesPerSend && units * maxBytesPerUnit <= maxBytesPerSend;
}
