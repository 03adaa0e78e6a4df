import { Registry } from '@sluice/service';
import { CompressionTypes, type CompressionTypes as CompressionType, type Kafka, type Producer } from '@sluice/kafkajs';
import { createPartitioner } from '../connection/client.js';
import { type KafkaCompression } from '../connection/config.js';
import { withinDeadline } from '../connection/deadline.js';
import { disconnected } from '../connection/disconnected.js';
import { NotPublishedError } from './not-published-error.js';
import { type OutgoingMessage } from './outgoing-message.js';
import { PublishMetrics } from './publish-metrics.js';
import { SendBatch } from './send-batch.js';
import { TopicPartitions } from './topic-partitions.js';

/**
 * A request is answered within 5 s, and a message that was not acknowledged has then to be written to disk. Kafka that
 * needs longer than this is choosing leaders or is away: waiting on would only keep more requests in doubt.
 */
const deadlineMs = 2_000;
const connectDeadlineMs = 8_000;

/** The connection on which messages go to Kafka, and the sends on it. */
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
   * Connects and learns of the topics' partitions. May be called again: it resolves when Kafka answers.
   * @throws when Kafka cannot be reached within 8 s.
   */
  async start(): Promise<void> {
    const connected = this.producer.connect().then(() => this.partitions.read());
    await withinDeadline(connected, connectDeadlineMs, 'no connection to Kafka');
    this.partitions.keepFresh();
  }

  /** Gives up the connections, which may lead nowhere without anybody having said so, and makes new ones. */
  async reconnect(): Promise<void> {
    // kafkajs waits for the answers of a connection that it closes, without end (measured): the old one is left to it.
    const abandoned = this.producer;
    this.producer = this.createProducer();
    abandoned.disconnect().catch(() => undefined);
    await this.start();
  }

  /**
   * kafkajs sends nothing to a partition that its producer has not heard of, for up to five minutes after it was added.
   * A new producer asks when it first sends. The former one has ended its sends by its deadline.
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

  /** @see TopicPartitions.unknownTopicOf */
  unknownTopicOf(messages: readonly OutgoingMessage[]): NotPublishedError | undefined {
    return this.partitions.unknownTopicOf(messages);
  }

  /**
   * Publishes the messages in one send, now.
   * @throws NotPublishedError when not every one is acknowledged; which of them are is unknown.
   */
  async send(messages: readonly OutgoingMessage[]): Promise<void> {
    // Where a message goes would be a guess, which would part it from others of its key.
    const unknown = this.unknownTopicOf(messages);
    if (unknown) throw unknown;
    const batch = this.newBatch();
    const awaited = messages.map((message) => batch.place(message));
    try {
      const acknowledged = await this.untilAcknowledged(this.sendBatch(batch), messages.length);
      if (awaited.every((partition) => acknowledged.has(partition))) return;
    } catch (error) {
      throw new NotPublishedError('Kafka did not acknowledge', { cause: error });
    }
    throw new NotPublishedError('a partition was not acknowledged');
  }

  /** An empty batch, to be sent within the deadline of a send. */
  newBatch(): SendBatch {
    return new SendBatch(this.partitions.counts, performance.now() + deadlineMs);
  }

  /**
   * The partitions that Kafka acknowledged, as `topic:partition`. kafkajs can resolve a send that spans two leaders
   * without having delivered to one of them (measured): only what is in the returned metadata counts.
   */
  async sendBatch({ topicMessages }: SendBatch): Promise<Set<string>> {
    const { compression } = this;
    const metadata = await this.producer.sendBatch({ topicMessages, acks: -1, timeout: deadlineMs, compression });
    return new Set(metadata.map(({ topicName, partition }) => `${topicName}:${partition}`));
  }

  /** @throws when Kafka fails, or needs too long. */
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

  /** No retries inside kafkajs: a repeat it makes could not be told from a first send. */
  private createProducer(): Producer {
    return this.kafka.producer({ createPartitioner, allowAutoTopicCreation: false, retry: { retries: 0 } });
  }
}
