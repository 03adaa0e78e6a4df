import { Logger } from '@nestjs/common';
import { type Admin, type Kafka } from '@sluice/kafkajs';
import { withAdmin } from '../connection/admin.js';
import { type Place } from '../protocol/block.js';
import { forEachTopic } from './each-topic.js';
import { oldestOf } from '../topics/group-lag.js';
import { Polling } from '../connection/polling.js';
import { type RetentionLeft } from '../metrics/stuck-metrics.js';
import { readRetention } from '../topics/topic-states.js';

/** A partition with messages that are not stored. */
export interface WaitingPartition extends Place {
  /** The offset of the first such message. */
  readonly unstored: bigint;
  /** Time at which Kafka took it, milliseconds since 1970; undefined while it is not fetched. */
  readonly takenAt: number | undefined;
}

/** The time at which Kafka took the first unstored message, as Kafka has answered. */
interface Asked {
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
  private readonly kept = new Map<string, number>();
  /** Kafka's answers, by topic and partition. */
  private readonly asked = new Map<string, ReadonlyMap<number, Asked>>();

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

  keptSeconds(): { topic: string; seconds: number }[] {
    return [...this.kept].map(([topic, ms]) => ({ topic, seconds: ms / 1_000 }));
  }

  left(now = Date.now()): RetentionLeft[] {
    return this.waiting().flatMap(({ topic, partition, unstored, takenAt }) => {
      const keptMs = this.kept.get(topic);
      const asked = this.asked.get(topic)?.get(partition);
      const since = takenAt ?? (asked?.unstored === unstored ? asked.takenAt : undefined);
      if (keptMs === undefined || since === undefined || now - since < minWaitMs) return [];
      return [{ topic, partition, seconds: Math.max(0, keptMs - (now - since)) / 1_000 }];
    });
  }

  private read(topics: readonly string[]): Promise<void> {
    return forEachTopic(topics, (topic) => withAdmin(this.kafka, (admin) => this.readTopic(admin, topic)));
  }

  private async readTopic(admin: Admin, topic: string): Promise<void> {
    const keptMs = (await readRetention(admin, [topic])).get(topic);
    if (keptMs === undefined) this.kept.delete(topic);
    else this.kept.set(topic, keptMs);
    const before = this.asked.get(topic);
    const asked = new Map<number, Asked>();
    for (const { topic: waitingTopic, partition, unstored, takenAt } of this.waiting()) {
      if (waitingTopic !== topic || takenAt !== undefined) continue;
      const known = before?.get(partition);
      const isSame = known?.unstored === unstored;
      const { oldestAt } = isSame
        ? { oldestAt: known.takenAt }
        : await oldestOf(admin, topic, [{ partition, from: unstored }]);
      asked.set(partition, { unstored, takenAt: oldestAt });
    }
    this.asked.set(topic, asked);
  }
}
