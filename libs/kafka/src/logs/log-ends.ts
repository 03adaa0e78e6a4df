import { Logger } from '@nestjs/common';
import { type Kafka, TopicIds } from '@sluice/kafkajs';
import { withinDeadline } from '../connection/deadline.js';
import { type TopicPartition } from '../protocol/block.js';
import { forEachTopic } from './each-topic.js';
import { KnownEnds } from './known-ends.js';
import { Polling } from '../connection/polling.js';

const pollMs = 5_000;
const idsDeadlineMs = 2_000;

/** The ids of topics by name. */
export type TopicIdMap = ReadonlyMap<string, string>;

/**
 * Polls the ends of the logs and the ids of their topics. Fetching does not report the end of a paused partition, just
 * when its lag is worth knowing.
 */
export class LogEnds {
  private readonly logger = new Logger(LogEnds.name);
  private readonly polling = new Polling(this.logger, 'the ends of the logs could not be read', pollMs);
  private readonly topicIds: TopicIds;
  private latestIds: TopicIdMap = new Map();
  readonly knownEnds = new KnownEnds();
  private readonly partitions = new Map<string, number>();

  constructor(
    private readonly kafka: Kafka,
    /** Called when all topics were looked at. */
    private readonly afterLook: () => void,
  ) {
    this.topicIds = new TopicIds(kafka);
  }

  /** The ids of the topics at the last look. */
  get ids(): TopicIdMap {
    return this.latestIds;
  }

  follow(topics: readonly string[]): void {
    this.polling.start(() => this.read(topics));
  }

  stop(): void {
    this.polling.stop();
    this.topicIds.close();
  }

  /** Reads the ids of topics; none when Kafka does not answer soon. A topic that is recreated has another id. */
  async readIds(topics: readonly string[]): Promise<TopicIdMap> {
    try {
      return await withinDeadline(this.topicIds.read(topics), idsDeadlineMs, 'the ids of the topics were not read');
    } catch (error) {
      this.topicIds.close();
      this.logger.debug({ msg: 'the ids of the topics could not be read', error: String(error) });
      return new Map();
    }
  }

  /** The offset after the last message, at the last look. */
  end(place: TopicPartition): bigint | undefined {
    return this.knownEnds.end(place);
  }

  /** The topic's number of partitions at the last look. */
  partitionCount(topic: string): number | undefined {
    return this.partitions.get(topic);
  }

  /** Sets the number of partitions that was just read elsewhere. */
  setPartitionCount(topic: string, partitions: number): void {
    this.partitions.set(topic, partitions);
  }

  private async read(topics: readonly string[]): Promise<void> {
    const see = this.knownEnds.look();
    const idsBefore = await this.readIds(topics);
    const ends = new Map<string, { partition: number; end: bigint }[]>();
    const reading = forEachTopic(this.kafka, topics, async (topic, admin) => {
      const offsets = await admin.fetchTopicOffsets(topic);
      this.partitions.set(topic, offsets.length);
      ends.set(
        topic,
        offsets.map(({ partition, high }) => ({ partition, end: BigInt(high) })),
      );
    });
    try {
      await reading;
    } finally {
      this.latestIds = await this.readIds(topics);
      for (const [topic, partitions] of ends) {
        const id = this.latestIds.get(topic);
        // If the id changed during the look, it is unknown which of the two logs ends there.
        if (id !== idsBefore.get(topic)) continue;
        for (const { partition, end } of partitions) see({ topic, partition }, end, id);
      }
    }
    this.afterLook();
  }
}
