import { Logger } from '@nestjs/common';
import { type Kafka } from '@sluice/kafkajs';
import { CompactedTopicFollower } from '../follow/compacted-topic.js';
import { type CompactedRecord } from '../follow/compacted-record.js';
import { endsTopic, parseOffsets } from '../topics/acknowledged-ends.js';

/** Upper bound of remembered logs: a topic has a new one each time it is created anew. */
const maxLogs = 1_000;

/** Offsets of a log by partition: the highest that any process has told. */
type Offsets = Map<number, number>;

interface TopicLog {
  readonly topic: string;
  /** Ends of what Kafka has acknowledged. */
  readonly acknowledged: Offsets;
  /** Ends of what the group has stored, or counted as lost. */
  readonly settled: Offsets;
}

/** Follows what publishers and the consumers of one group tell about the logs of these topics. */
export class TopicEnds {
  private readonly logger = new Logger(TopicEnds.name);
  private readonly follower: CompactedTopicFollower;
  private readonly logs = new Map<string, TopicLog>();
  private topics: ReadonlySet<string> = new Set();

  /** @param raised is called when a log is known to be longer than before */
  constructor(
    kafka: Kafka,
    private readonly group: string,
    private readonly raised: (id: string, partition: number, end: bigint) => void,
  ) {
    this.follower = new CompactedTopicFollower(kafka, endsTopic, () => ({
      take: (record) => this.take(record),
      caughtUp: () => this.logger.debug({ msg: 'the acknowledged ends are known', logs: this.logs.size }),
    }));
  }

  /** Follows in the background. Without the topic, or the right to read it, it tries again and logs once a minute. */
  follow(topics: readonly string[]): void {
    this.topics = new Set(topics);
    this.follower.follow();
  }

  async stop(): Promise<void> {
    await this.follower.stop().catch(() => undefined);
  }

  /** The end of what Kafka has acknowledged of a log; undefined when no publisher has told any. */
  of(id: string, partition: number): bigint | undefined {
    const end = this.logs.get(id)?.acknowledged.get(partition);
    return end === undefined ? undefined : BigInt(end);
  }

  /** Partitions of earlier logs of a topic that the group has read, but not to their acknowledged end. */
  unsettled(topic: string, presentId: string): { id: string; partition: number; from: bigint; to: bigint }[] {
    return [...this.logs].flatMap(([id, log]) => {
      if (log.topic !== topic || id === presentId) return [];
      return [...log.settled].flatMap(([partition, from]) => {
        const to = log.acknowledged.get(partition) ?? 0;
        return from < to ? [{ id, partition, from: BigInt(from), to: BigInt(to) }] : [];
      });
    });
  }

  /** Records are totals of their writers, so their order and repeats do not matter. */
  private take({ value }: CompactedRecord): void {
    if (value === null) return;
    const { topic, id, group, ends } = parseOffsets(value);
    if (!this.topics.has(topic) || (group !== undefined && group !== this.group)) return;
    const log = this.logs.get(id) ?? this.add(id, topic);
    const known = group === undefined ? log.acknowledged : log.settled;
    for (const [partition, end] of ends) {
      if (end <= (known.get(partition) ?? -1)) continue;
      known.set(partition, end);
      if (group === undefined) this.raised(id, partition, BigInt(end));
    }
  }

  private add(id: string, topic: string): TopicLog {
    const [oldest] = this.logs.keys();
    if (this.logs.size >= maxLogs && oldest !== undefined) this.logs.delete(oldest);
    const log = { topic, acknowledged: new Map<number, number>(), settled: new Map<number, number>() };
    this.logs.set(id, log);
    return log;
  }
}
