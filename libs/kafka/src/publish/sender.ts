import { Registry } from '@sluice/service';
import { CompressionTypes, type CompressionTypes as CompressionType, type Kafka, type Producer } from '@sluice/kafkajs';
import { createPartitioner } from '../connection/client.js';
import { type KafkaCompression } from '../connection/config.js';
import { withinDeadline } from '../connection/deadline.js';
import { disconnected } from '../connection/disconnected.js';
import { NotPublishedError } from './not-published-error.js';
import { type OutgoingMessage } from './outgoing-message.js';
import { PublishMetrics } from './publish-metrics.js';
import { pinTo, SendBatch } from './send-batch.js';
import { TopicPartitions } from './topic-partitions.js';

/**
 * Deadline of a send. It leaves time to write unacknowledged messages to disk before the request is answered at 5 s. A
 * Kafka that needs longer is electing leaders or is unreachable; waiting would only leave more requests in doubt.
 */
const deadlineMs = 2_000;
const connectDeadlineMs = 8_000;

/** Sends messages to Kafka over the producer's connections. */
export class Sender {
  readonly metrics: PublishMetrics;
  private readonly partitions: TopicPartitions;
  private readonly compression: CompressionType;
  private producer: Producer;

  constructor(
    private readonly kafka: Kafka,
    topics: readonly string[],
    compression: KafkaCompression = 'none',
    registry = new Registry(),
  ) {
    this.partitions = new TopicPartitions(kafka, topics, () => this.replaceProducer());
    this.metrics = new PublishMetrics(registry);
    this.compression = compression === 'zstd' ? CompressionTypes.ZSTD : CompressionTypes.None;
    this.producer = this.createProducer();
  }

  /**
   * Connects and reads the topics' numbers of partitions. It can be called again after a failure.
   * @throws when Kafka cannot be reached within 8 s.
   */
  async start(): Promise<void> {
    const connected = this.producer.connect().then(() => this.partitions.read());
    await withinDeadline(connected, connectDeadlineMs, 'no connection to Kafka');
    this.partitions.keepFresh();
  }

  /** Replaces the connections: one can be dead without having reported an error. */
  async reconnect(): Promise<void> {
    // Not awaited: kafkajs waits without end for pending answers of a connection that it closes (measured).
    const abandoned = this.producer;
    this.producer = this.createProducer();
    abandoned.disconnect().catch(() => undefined);
    await this.start();
  }

  /**
   * Replaces the producer, because kafkajs ignores an added partition for up to five minutes. A new producer reads the
   * metadata before its first send. The former one is disconnected after its sends have ended.
   */
  private async replaceProducer(): Promise<void> {
    const former = this.producer;
    const next = this.createProducer();
    await next.connect();
    if (this.producer !== former) return disconnected(next);
    this.producer = next;
    setTimeout(() => {
      former.disconnect().catch(() => undefined);
    }, 2 * deadlineMs).unref();
  }

  async stop(): Promise<void> {
    this.partitions.stop();
    await disconnected(this.producer);
  }

  /** @see TopicPartitions.findUnknownTopic */
  findUnknownTopic(messages: readonly OutgoingMessage[]): NotPublishedError | undefined {
    return this.partitions.findUnknownTopic(messages);
  }

  /**
   * Publishes the messages in one send at once.
   * @throws NotPublishedError when a topic is unknown, or some messages are not acknowledged. It is then unknown which,
   * so `partition` is set in all.
   */
  async send(messages: readonly OutgoingMessage[]): Promise<void> {
    // Without the number of partitions, a message could go to another partition than others of its key.
    const topicError = this.findUnknownTopic(messages);
    if (topicError) throw topicError;
    const batch = this.newBatch();
    const partitions = messages.map((message) => batch.place(message));
    try {
      const acknowledged = await this.untilAcknowledged(this.sendBatch(batch), messages.length);
      if (partitions.every((partition) => acknowledged.has(partition))) return;
    } catch (error) {
      batch.pin(messages);
      throw new NotPublishedError('Kafka did not acknowledge', { cause: error });
    }
    batch.pin(messages);
    throw new NotPublishedError('a partition was not acknowledged');
  }

  /**
   * Sets the partition of messages that wait for a later send, unless they have one.
   * @param counts numbers of partitions that are used instead of the present ones
   */
  pin(messages: readonly OutgoingMessage[], counts = this.partitions.counts): void {
    pinTo(messages, (topic) => counts.get(topic));
  }

  /** The present numbers of partitions, as far as Kafka has answered. */
  get partitionCounts(): ReadonlyMap<string, number> {
    return this.partitions.counts;
  }

  /** An empty batch that must be sent within the deadline. */
  newBatch(): SendBatch {
    return new SendBatch(this.partitions.counts, performance.now() + deadlineMs);
  }

  /**
   * Sends a batch and resolves with the partitions that Kafka acknowledged, as `topic:partition`. kafkajs can resolve a
   * send over two leaders that reached only one of them (measured): only partitions in the returned metadata count.
   */
  async sendBatch(batch: SendBatch): Promise<Set<string>> {
    const { topicMessages } = batch;
    const { compression } = this;
    const metadata = await this.producer.sendBatch({ topicMessages, acks: -1, timeout: deadlineMs, compression });
    return new Set(metadata.map(({ topicName, partition }) => `${topicName}:${partition}`));
  }

  /** Resolves with the acknowledged partitions. @throws when Kafka fails or exceeds the deadline. */
  async untilAcknowledged(sending: Promise<Set<string>>, messages: number): Promise<Set<string>> {
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

  /** Retries inside kafkajs are off: one of its repeats could not be distinguished from a first send. */
  private createProducer(): Producer {
    return this.kafka.producer({ createPartitioner, allowAutoTopicCreation: false, retry: { retries: 0 } });
  }
}
