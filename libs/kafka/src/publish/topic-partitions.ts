import { Logger } from '@nestjs/common';
import { type Kafka } from '@sluice/kafkajs';
import { withAdmin } from '../connection/admin.js';
import { NotPublishedError } from './not-published-error.js';
import { type OutgoingMessage } from './outgoing-message.js';

const refreshMs = 60_000;

/** Keeps the number of partitions of each topic, which publishing requires. */
export class TopicPartitions {
  private readonly logger = new Logger(TopicPartitions.name);
  private readonly knownCounts = new Map<string, number>();
  /** Topics whose partitions could not be read at the last attempt, with the error. */
  private readonly unreadable = new Map<string, unknown>();
  private timer: NodeJS.Timeout | undefined;

  /** @param beforeGrowth is awaited before a larger number of partitions takes effect */
  constructor(
    private readonly kafka: Kafka,
    private readonly topics: readonly string[],
    private readonly beforeGrowth: () => Promise<void>,
  ) {}

  get counts(): ReadonlyMap<string, number> {
    return this.knownCounts;
  }

  /**
   * An error for messages whose topic Kafka did not describe although it described others; undefined when all can be
   * published. Undefined also before the first read, when no topic is known. Costs nothing while all topics are known.
   */
  findUnknownTopic(messages: readonly OutgoingMessage[]): NotPublishedError | undefined {
    const { knownCounts } = this;
    if (knownCounts.size === this.topics.length || knownCounts.size === 0) return undefined;
    const message = messages.find(({ topic }) => !knownCounts.has(topic));
    return message && new NotPublishedError('the topic is unknown', { cause: this.unreadable.get(message.topic) });
  }

  /** Reads the numbers again every minute until `stop`. */
  keepFresh(): void {
    this.timer ??= setInterval(() => {
      this.read().catch((error: unknown) =>
        this.logger.warn({ msg: 'could not read the number of partitions', error: String(error) }),
      );
    }, refreshMs).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Asks for each topic alone: kafkajs answers for all or none, and a forbidden topic must not block the others. */
  async read(): Promise<void> {
    const answers = await withAdmin(this.kafka, (admin) =>
      Promise.allSettled(this.topics.map((topic) => admin.fetchTopicMetadata({ topics: [topic] }))),
    );
    const counts = new Map<string, number>();
    for (const [index, answer] of answers.entries()) {
      const topic = this.topics[index] ?? '';
      const [metadata] = answer.status === 'fulfilled' ? answer.value.topics : [];
      if (metadata) counts.set(topic, metadata.partitions.length);
      if (answer.status === 'fulfilled') this.unreadable.delete(topic);
      else this.unreadable.set(topic, answer.reason);
    }
    const hasGrown = [...counts].some(([topic, count]) => count > (this.knownCounts.get(topic) ?? Infinity));
    if (hasGrown) await this.beforeGrowth();
    for (const [topic, count] of counts) this.knownCounts.set(topic, count);
    if (this.unreadable.size === 0) return;
    const [[topic, error] = []] = this.unreadable;
    if (this.unreadable.size === this.topics.length) throw error;
    this.logger.error({ msg: 'a topic cannot be published to', topic, error: String(error) });
  }
}
