import { Logger } from '@nestjs/common';
import { type Admin, type Kafka } from '@sluice/kafkajs';
import { type TopicPartition } from '../protocol/block.js';
import { forEachTopic } from './each-topic.js';
import { findOldest } from '../topics/group-lag.js';
import { Polling } from '../connection/polling.js';
import { type RetentionLeft } from '../metrics/stuck-metrics.js';
import { readRetention } from '../topics/topic-states.js';

/** A partition with messages that are not stored. */
export interface WaitingPartition extends TopicPartition {
  /** The offset of the first such message. */
  readonly unstored: bigint;
  /** Time at which Kafka took it, milliseconds since 1970; undefined while it is not fetched. */
  readonly takenAt: number | undefined;
}

/** The time at which Kafka took the first unstored message, as Kafka has answered. */
interface OldestTime {
  readonly unstored: bigint;
  readonly takenAt: number;
}

const pollMs = 60_000;
/** Wait below which messages are not reported: nearly all are stored sooner. */
const minWaitMs = 60_000;

/**
 * Computes how soon retention deletes unstored messages. Kafka deletes whole files, each when its last message is old
 * enough, so it may keep a message longer than said here. `retention.bytes` is not considered.
 */
export class Retention {
  private readonly polling = new Polling(
    new Logger(Retention.name),
    'the retention of the topics could not be read',
    pollMs,
  );
  /** Retention by topic, milliseconds; without topics that are kept for ever. */
  private readonly retentionByTopic = new Map<string, number>();
  /** Kafka's answers, by topic and partition. */
  private readonly answers = new Map<string, ReadonlyMap<number, OldestTime>>();

  constructor(
    private readonly kafka: Kafka,
    private readonly waiting: () => readonly WaitingPartition[],
  ) {}

  follow(topics: readonly string[]): void {
    this.polling.start(() => this.read(topics));
  }

  stop(): void {
    this.polling.stop();
  }

  retentionSeconds(): { topic: string; seconds: number }[] {
    return [...this.retentionByTopic].map(([topic, ms]) => ({ topic, seconds: ms / 1_000 }));
  }

  timeLeft(now = Date.now()): RetentionLeft[] {
    return this.waiting().flatMap(({ topic, partition, unstored, takenAt }) => {
      const keptMs = this.retentionByTopic.get(topic);
      const answer = this.answers.get(topic)?.get(partition);
      const since = takenAt ?? (answer?.unstored === unstored ? answer.takenAt : undefined);
      if (keptMs === undefined || since === undefined || now - since < minWaitMs) return [];
      return [{ topic, partition, seconds: Math.max(0, keptMs - (now - since)) / 1_000 }];
    });
  }

  private read(topics: readonly string[]): Promise<void> {
    return forEachTopic(this.kafka, topics, (topic, admin) => this.readTopic(admin, topic));
  }

  private async readTopic(admin: Admin, topic: string): Promise<void> {
    const keptMs = (await readRetention(admin, [topic])).get(topic);
    if (keptMs === undefined) this.retentionByTopic.delete(topic);
    else this.retentionByTopic.set(topic, keptMs);
    const previousAnswers = this.answers.get(topic);
    const answers = new Map<number, OldestTime>();
    for (const { topic: waitingTopic, partition, unstored, takenAt } of this.waiting()) {
      if (waitingTopic !== topic || takenAt !== undefined) continue;
      const previous = previousAnswers?.get(partition);
      const isSame = previous?.unstored === unstored;
      const { oldestAt } = isSame
        ? { oldestAt: previous.takenAt }
        : await findOldest(admin, topic, [{ partition, from: unstored }]);
      answers.set(partition, { unstored, takenAt: oldestAt });
    }
    this.answers.set(topic, answers);
  }
}
