import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { CompressionTypes as CompressionType, IHeaders, Kafka, Message, Producer } from 'kafkajs';
import { withAdmin } from './admin.js';
import { createPartitioner } from './client.js';
import { type KafkaCompression } from './config.js';
import { withinDeadline } from './deadline.js';
import { CompressionTypes } from './kafkajs/index.js';
import { NotPublishedError } from './not-published-error.js';
import { partitionOf } from './partitioner.js';

/** A message for one topic; messages of one key keep their order. */
export interface OutgoingMessage {
  topic: string;
  key: string;
  value: string | Buffer;
  headers: IHeaders;
}

/** Takes over messages that were not published. In doubt are those that Kafka may have stored all the same. */
export type Fallback = (messages: readonly OutgoingMessage[], isInDoubt: boolean) => Promise<void>;

const lingerMs = 2;
/**
 * A request is answered within 5 s, and a message that was not acknowledged has then to be written to disk. Kafka that
 * needs longer than this is choosing leaders or is away: waiting on would only keep more requests in doubt.
 */
const deadlineMs = 2_000;
const connectDeadlineMs = 8_000;
const disconnectPatienceMs = 2_000;
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
const partitionRefreshMs = 60_000;

interface Waiting {
  messages: readonly OutgoingMessage[];
  resolve: () => void;
  reject: (error: Error) => void;
}

/** The messages of some requests, for one send. */
class Gathered {
  readonly requests: Waiting[] = [];
  messages = 0;
  bytes = 0;
}

/** Gathers the messages of concurrent requests for a few milliseconds and publishes them in one send. */
export class Publisher {
  private readonly logger = new Logger(Publisher.name);
  private producer: Producer;
  private readonly compression: CompressionType;
  private readonly partitions = new Map<string, number>();
  private fallback: Fallback | undefined;
  private gathering = new Gathered();
  /** Full, and waiting for one of the sends to end. */
  private waiting: Gathered[] = [];
  private readonly sends = new Set<Promise<void>>();
  private heldMessages = 0;
  private heldBytes = 0;
  private linger: NodeJS.Timeout | undefined;
  private refresh: NodeJS.Timeout | undefined;

  constructor(
    private readonly kafka: Kafka,
    private readonly topics: readonly string[],
    compression: KafkaCompression = 'none',
  ) {
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
   * @throws NotPublishedError when that did not happen; some of the messages may have been stored all the same.
   */
  publish(messages: readonly OutgoingMessage[]): Promise<void> {
    const bytes = messages.reduce((sum, { value }) => sum + Buffer.byteLength(value), 0);
    if (this.heldMessages + messages.length > maxMessagesHeld || this.heldBytes + bytes > maxBytesHeld) {
      return this.notSent(messages, 'too many messages in flight');
    }
    if (this.gathering.bytes + bytes > maxBytesPerSend) this.flush();
    return new Promise((resolve, reject) => {
      const { gathering } = this;
      gathering.requests.push({ messages, resolve, reject });
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
   * Publishes the messages in one send of their own, now; the fallback does not take them.
   * @throws NotPublishedError when not every one is acknowledged; which of them are is unknown.
   */
  async send(messages: readonly OutgoingMessage[]): Promise<void> {
    const byTopic = new Map<string, Message[]>();
    const awaited = messages.map((message) => this.place(message, byTopic));
    try {
      const acknowledged = await withinDeadline(this.sendBatch(byTopic), deadlineMs, 'no acknowledgement');
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
    await Promise.race([this.producer.disconnect(), sleep(disconnectPatienceMs, undefined, { ref: false })]);
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
      this.gathering = new Gathered();
    }
    this.sendWaiting();
  }

  private sendWaiting(): void {
    while (this.sends.size < maxSends) {
      const gathered = this.waiting.shift();
      if (!gathered) return;
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
  private async sendGathered({ requests, messages, bytes }: Gathered): Promise<void> {
    const byTopic = new Map<string, Message[]>();
    const awaited = requests.map((request) => request.messages.map((message) => this.place(message, byTopic)));
    const sending = this.sendBatch(byTopic);
    const release = (): void => {
      this.heldMessages -= messages;
      this.heldBytes -= bytes;
    };
    sending.then(release, release);
    try {
      // kafkajs waits for connections and for requests one after the other; no request of a client waits for both.
      const acknowledged = await withinDeadline(sending, deadlineMs, 'no acknowledgement');
      for (const [index, request] of requests.entries()) {
        if (awaited[index]?.every((partition) => acknowledged.has(partition))) request.resolve();
        else this.fail(request, new NotPublishedError('a partition was not acknowledged'));
      }
    } catch (error) {
      this.logger.warn({ msg: 'send failed', error: String(error) });
      const failure = new NotPublishedError('Kafka did not acknowledge', { cause: error });
      for (const request of requests) this.fail(request, failure);
      this.giveUpWaiting();
    }
  }

  private fail({ messages, resolve, reject }: Waiting, error: NotPublishedError): void {
    if (this.fallback) this.fallback(messages, true).then(resolve, reject);
    else reject(error);
  }

  /** Where a send fails, those that wait behind it would fail later: they were not sent, so they are in no doubt. */
  private giveUpWaiting(): void {
    clearTimeout(this.linger);
    this.linger = undefined;
    const givenUp = [...this.waiting, this.gathering];
    this.waiting = [];
    this.gathering = new Gathered();
    for (const { requests, messages, bytes } of givenUp) {
      this.heldMessages -= messages;
      this.heldBytes -= bytes;
      for (const request of requests) {
        this.notSent(request.messages, 'Kafka is away').then(request.resolve, request.reject);
      }
    }
  }

  private notSent(messages: readonly OutgoingMessage[], why: string): Promise<void> {
    return this.fallback?.(messages, false) ?? Promise.reject(new NotPublishedError(why));
  }

  /**
   * The partitions that Kafka acknowledged, as `topic:partition`. kafkajs can resolve a send that spans two leaders
   * without having delivered to one of them (measured): only what is in the returned metadata counts.
   */
  private async sendBatch(byTopic: Map<string, Message[]>): Promise<Set<string>> {
    const topicMessages = [...byTopic].map(([topic, messages]) => ({ topic, messages }));
    const { compression } = this;
    const metadata = await this.producer.sendBatch({ topicMessages, acks: -1, timeout: deadlineMs, compression });
    return new Set(metadata.map(({ topicName, partition }) => `${topicName}:${partition}`));
  }

  private place({ topic, key, value, headers }: OutgoingMessage, byTopic: Map<string, Message[]>): string {
    const keyBytes = Buffer.from(key);
    const partition = partitionOf(keyBytes, this.partitions.get(topic) ?? 1);
    const messages = byTopic.get(topic);
    const message = { key: keyBytes, value, headers, partition };
    if (messages) messages.push(message);
    else byTopic.set(topic, [message]);
    return `${topic}:${partition}`;
  }

  private async readPartitions(): Promise<void> {
    const { topics } = await withAdmin(this.kafka, (admin) => admin.fetchTopicMetadata({ topics: [...this.topics] }));
    for (const { name, partitions } of topics) this.partitions.set(name, partitions.length);
  }
}
