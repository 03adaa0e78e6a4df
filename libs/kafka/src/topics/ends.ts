import { ConfigResourceTypes, type Kafka } from '@sluice/kafkajs';
import { withAdmin } from '../connection/admin.js';
import { type ConsumedTopic } from './group-lag.js';

/** Ends of topics: for each partition, in their order, the offset that its next message gets. */
export type TopicEnds = Readonly<Record<string, readonly string[]>>;

/** The ends of the topics; those that do not exist are left out. */
export function readEnds(kafka: Kafka, topics: readonly string[]): Promise<TopicEnds> {
  return withAdmin(kafka, async (admin) => {
    const existing = new Set(await admin.listTopics());
    const ends = await Promise.all(
      topics
        .filter((topic) => existing.has(topic))
        .map(async (topic): Promise<[string, string[]]> => {
          const partitions = await admin.fetchTopicOffsets(topic);
          return [topic, partitions.sort((a, b) => a.partition - b.partition).map(({ high }) => high)];
        }),
    );
    return Object.fromEntries(ends);
  });
}

/** A topic with unconfirmed messages before a former end. */
export interface TopicBehind {
  readonly topic: string;
  readonly messages: number;
}

/**
 * Topics whose group has not confirmed everything before these ends. A confirmed message is stored or was dropped.
 * Messages that retention has deleted since count as confirmed.
 */
export function findTopicsBehind(
  kafka: Kafka,
  consumed: readonly ConsumedTopic[],
  ends: TopicEnds,
): Promise<TopicBehind[]> {
  return withAdmin(kafka, async (admin) => {
    const behind: TopicBehind[] = [];
    for (const { topic, group } of consumed) {
      const topicEnds = ends[topic] ?? [];
      if (topicEnds.every((end) => end === '0')) continue;
      const [committed] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
      const lows = new Map(
        (await admin.fetchTopicOffsets(topic)).map(({ partition, low }) => [partition, BigInt(low)]),
      );
      const messages = topicEnds.reduce((sum, end, partition) => {
        const offset = BigInt(committed?.partitions.find((commit) => commit.partition === partition)?.offset ?? -1);
        const low = lows.get(partition) ?? 0n;
        const from = offset > low ? offset : low;
        return sum + (BigInt(end) > from ? Number(BigInt(end) - from) : 0);
      }, 0);
      if (messages > 0) behind.push({ topic, messages });
    }
    return behind;
  });
}

/**
 * Milliseconds after which a message that is in a topic now is deleted: its retention, and the time for which Kafka
 * still writes to its segment. Infinite where messages are kept for ever. Topics that do not exist are left out.
 */
export function readTimeToClear(kafka: Kafka, topics: readonly string[]): Promise<ReadonlyMap<string, number>> {
  return withAdmin(kafka, async (admin) => {
    const existing = new Set(await admin.listTopics());
    const present = topics.filter((topic) => existing.has(topic));
    if (present.length === 0) return new Map();
    const configNames = ['retention.ms', 'segment.ms'];
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: present.map((name) => ({ type: ConfigResourceTypes.TOPIC, name, configNames })),
    });
    return new Map(
      resources.map(({ resourceName, configEntries }) => {
        const readNumber = (name: string) =>
          Number(configEntries.find((entry) => entry.configName === name)?.configValue);
        const [retention, segment] = [readNumber('retention.ms'), readNumber('segment.ms')];
        return [resourceName, retention < 0 ? Infinity : retention + segment] as const;
      }),
    );
  });
}
