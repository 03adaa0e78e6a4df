import { type Kafka } from '@sluice/kafkajs';
import { withAdmin } from '../connection/admin.js';
import { type TopicPartition } from '../protocol/block.js';
import { type Commit, type LogRange } from '../protocol/committed.js';

/** An assigned partition with its commit and the range of its log. */
export interface Assigned extends TopicPartition {
  readonly committed: Commit;
  readonly log: LogRange;
  /** The topic's number of partitions. */
  readonly partitions: number;
}

/** Partitions by topic. */
export type Assignment = Readonly<Record<string, readonly number[]>>;

/**
 * Reads the committed offset and the range of the log of every assigned partition.
 * @throws while Kafka does not know one of these partitions; the caller retries
 */
export function readAssigned(kafka: Kafka, groupId: string, assignment: Assignment): Promise<Assigned[]> {
  const topics = Object.keys(assignment).filter((topic) => (assignment[topic]?.length ?? 0) > 0);
  if (topics.length === 0) return Promise.resolve([]);
  return withAdmin(kafka, async (admin) => {
    // Reads the commits first: the end of the log must not be older than they are.
    const commits = await admin.fetchOffsets({ groupId, topics });
    const logs = await Promise.all(topics.map((topic) => admin.fetchTopicOffsets(topic)));
    return topics.flatMap((topic, i) =>
      (assignment[topic] ?? []).map((partition) => {
        const committed = commits
          .find((commit) => commit.topic === topic)
          ?.partitions.find((partitionCommit) => partitionCommit.partition === partition);
        const log = logs[i]?.find((range) => range.partition === partition);
        if (!committed || !log) throw new Error(`Kafka does not know ${topic}:${partition} yet`);
        return { topic, partition, committed, log, partitions: logs[i]?.length ?? 0 };
      }),
    );
  });
}

export function readLog(kafka: Kafka, { topic, partition }: TopicPartition): Promise<LogRange> {
  return withAdmin(kafka, async (admin) => {
    const log = (await admin.fetchTopicOffsets(topic)).find((range) => range.partition === partition);
    if (!log) throw new Error(`Kafka does not know ${topic}:${partition}`);
    return log;
  });
}
