import { Logger } from '@nestjs/common';
import { type Kafka } from '@sluice/kafkajs';
import { withAdmin } from '../connection/admin.js';
import { type Place } from '../protocol/block.js';
import { forEachTopic } from './each-topic.js';
import { KnownEnds } from './known-ends.js';
import { Polling } from '../connection/polling.js';

const pollMs = 5_000;

/**
 * Polls the ends of the logs. Fetching does not report them for a paused partition, just when its lag is worth knowing.
 */
export class LogEnds {
  private readonly polling = new Polling(new Logger(LogEnds.name), 'the ends of the logs could not be read', pollMs);
  readonly known = new KnownEnds();
  private readonly partitions = new Map<string, number>();

  constructor(
    private readonly kafka: Kafka,
    /** Called when all topics were looked at. */
    private readonly looked: () => void,
  ) {}

  follow(topics: readonly string[]): void {
    this.polling.start(() => this.read(topics));
  }

  stop(): void {
    this.polling.stop();
  }

  /** The offset after the last message, at the last look. */
  of(place: Place): bigint | undefined {
    return this.known.of(place);
  }

  /** The topic's number of partitions at the last look. */
  partitionsOf(topic: string): number | undefined {
    return this.partitions.get(topic);
  }

  /** Sets the number of partitions that was just read elsewhere. */
  counted(topic: string, partitions: number): void {
    this.partitions.set(topic, partitions);
  }

  private async read(topics: readonly string[]): Promise<void> {
    const see = this.known.look();
    await forEachTopic(topics, async (topic) => {
      const offsets = await withAdmin(this.kafka, (admin) => admin.fetchTopicOffsets(topic));
      this.partitions.set(topic, offsets.length);
      for (const { partition, high } of offsets) see({ topic, partition }, BigInt(high));
    });
    this.looked();
  }
}
