import { Logger } from '@nestjs/common';
import type { IHeaders, Kafka, Message, Producer } from 'kafkajs';
import { withAdmin } from './admin.js';
import { createPartitioner, requestTimeoutMs } from './client.js';
import { withinDeadline } from './deadline.js';
import { partitionOf } from './partitioner.js';

/** A message for one topic; messages of one key keep their order. */
export interface OutgoingMessage {
  topic: string;
  key: string;
  value: string | Buffer;
  headers: IHeaders;
}

/** Kafka did not acknowledge in time, or there is no room for more: the same request may be sent again later. */
export class NotPublishedError extends Error {
  override readonly name = 'NotPublishedError';
}

const lingerMs = 2;
const deadlineMs = 4_800;
const maxMessagesPerSend = 2_000;
/** Half of what a topic takes in one batch, so that not even one partition's share of a send can be too large. */
const maxBytesPerSend = 1_000_000;
const maxMessagesWaiting = 100_000;
const partitionRefreshMs = 60_000;

interface Waiting {
  messages: readonly OutgoingMessage[];
  resolve: () => void;
  reject: (error: Error) => void;
}

/** Gathers the messages of concurrent requests for a few milliseconds and publishes them in one send. */
export class Publisher {
  private readonly logger = new Logger(Publisher.name);
  private readonly producer: Producer;
  private readonly partitions = new Map<string, number>();
  private waiting: Waiting[] = [];
  private waitingMessages = 0;
  private waitingBytes = 0;
  private inFlightMessages = 0;
  private linger: NodeJS.Timeout | undefined;
  private refresh: NodeJS.Timeout | undefined;
  private readonly sends = new Set<Promise<void>>();

  constructor(
    private readonly kafka: Kafka,
    private readonly topics: readonly string[],
  ) {
    // No retries inside kafkajs: a repeat it makes could not be told from a first send.
    this.producer = kafka.producer({ createPartitioner, allowAutoTopicCreation: false, retry: { retries: 0 } });
  }

  /** @throws when Kafka cannot be reached. */
  async start(): Promise<void> {
    await this.producer.connect();
    await this.readPartitions();
    this.refresh = setInterval(() => {
      this.readPartitions().catch((error: unknown) => {
        this.logger.warn({ msg: 'could not read the number of partitions', error: String(error) });
      });
    }, partitionRefreshMs);
  }

  /**
   * Resolves when every message is acknowledged by all in-sync replicas.
   * @throws NotPublishedError when that did not happen; some of the messages may have been stored all the same.
   */
  publish(messages: readonly OutgoingMessage[]): Promise<void> {
    if (this.waitingMessages + this.inFlightMessages + messages.length > maxMessagesWaiting) {
      return Promise.reject(new NotPublishedError('too many messages in flight'));
    }
    const bytes = messages.reduce((sum, { value }) => sum + Buffer.byteLength(value), 0);
    if (this.waitingBytes + bytes > maxBytesPerSend) this.flush();
    return new Promise((resolve, reject) => {
      this.waiting.push({ messages, resolve, reject });
      this.waitingMessages += messages.length;
      this.waitingBytes += bytes;
      if (this.waitingMessages >= maxMessagesPerSend) this.flush();
      else
        this.linger ??= setTimeout(() => {
          this.flush();
        }, lingerMs);
    });
  }

  /** Publishes what is waiting, then disconnects. */
  async stop(): Promise<void> {
    clearInterval(this.refresh);
    this.flush();
    await Promise.all(this.sends);
    await this.producer.disconnect();
  }

  private flush(): void {
    clearTimeout(this.linger);
    this.linger = undefined;
    if (this.waiting.length === 0) return;
    const requests = this.waiting;
    const count = this.waitingMessages;
    this.waiting = [];
    this.waitingMessages = 0;
    this.waitingBytes = 0;
    this.inFlightMessages += count;

    const send = this.send(requests).finally(() => {
      this.inFlightMessages -= count;
      this.sends.delete(send);
    });
    this.sends.add(send);
  }

  /**
   * A request fails if one of its partitions was not acknowledged. A send that fails as a whole fails all of its requests:
   * kafkajs does not say what of it arrived.
   */
  private async send(requests: Waiting[]): Promise<void> {
    const byTopic = new Map<string, Message[]>();
    const awaited = requests.map(({ messages }) => messages.map((message) => this.place(message, byTopic)));
    try {
      // kafkajs waits for connections and for requests one after the other; no request of a client waits for both.
      const acknowledged = await withinDeadline(this.sendBatch(byTopic), deadlineMs, 'no acknowledgement');
      for (const [index, request] of requests.entries()) {
        if (awaited[index]?.every((partition) => acknowledged.has(partition))) request.resolve();
        else request.reject(new NotPublishedError('a partition was not acknowledged'));
      }
    } catch (error) {
      this.logger.warn({ msg: 'send failed', error: String(error) });
      const failure = new NotPublishedError('Kafka did not acknowledge', { cause: error });
      for (const request of requests) request.reject(failure);
    }
  }

  /**
   * The partitions that Kafka acknowledged, as `topic:partition`. kafkajs can resolve a send that spans two leaders
   * without having delivered to one of them (measured): only what is in the returned metadata counts.
   */
  private async sendBatch(byTopic: Map<string, Message[]>): Promise<Set<string>> {
    const topicMessages = [...byTopic].map(([topic, messages]) => ({ topic, messages }));
    const metadata = await this.producer.sendBatch({ topicMessages, acks: -1, timeout: requestTimeoutMs });
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
