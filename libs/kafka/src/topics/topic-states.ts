import { type Admin, ConfigResourceTypes, type Kafka } from '@sluice/kafkajs';
import { withAdmin } from '../connection/admin.js';

/** The state of a topic in Kafka. */
export interface TopicState {
  readonly topic: string;
  /** 0 when the topic does not exist. */
  readonly partitions: number;
  /** Partitions with a replica that is not in sync. */
  readonly outOfSync: number;
  /** Retention in milliseconds; undefined when messages are kept for ever or the topic is missing. */
  readonly retentionMs: number | undefined;
  /** Number of messages; an upper bound for a compacted topic. */
  readonly messages: number;
}

export interface ClusterState {
  readonly brokers: number;
  readonly clusterId: string;
  /** Topics in the order of the request. */
  readonly topics: TopicState[];
}

/** Reads the state of the cluster and of these topics. */
export function readCluster(kafka: Kafka, topics: readonly string[]): Promise<ClusterState> {
  return withAdmin(kafka, async (admin) => {
    const { brokers, clusterId } = await admin.describeCluster();
    const existing = new Set(await admin.listTopics());
    const present = topics.filter((topic) => existing.has(topic));
    const [retention, copies] = [await readRetention(admin, present), await readCopies(admin, present)];
    const states = await Promise.all(
      topics.map(async (topic) => {
        const ends = existing.has(topic) ? await admin.fetchTopicOffsets(topic) : [];
        const messages = ends.reduce((sum, { low, high }) => sum + Number(BigInt(high) - BigInt(low)), 0);
        const outOfSync = copies.get(topic) ?? 0;
        return { topic, partitions: ends.length, outOfSync, retentionMs: retention.get(topic), messages };
      }),
    );
    return { brokers: brokers.length, clusterId, topics: states };
  });
}

/** Reads how long topics keep messages, milliseconds; topics that keep them for ever are left out. */
export async function readRetention(admin: Admin, topics: readonly string[]): Promise<Map<string, number>> {
  if (topics.length === 0) return new Map();
  const configNames = ['retention.ms', 'cleanup.policy'];
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topics.map((name) => ({ type: ConfigResourceTypes.TOPIC, name, configNames })),
  });
  return new Map(
    resources.flatMap(({ resourceName, configEntries }) => {
      const readValue = (name: string) =>
        configEntries.find(({ configName }) => configName === name)?.configValue ?? '';
      const ms = Number(readValue('retention.ms'));
      const isKeptForEver = readValue('cleanup.policy') === 'compact' || ms < 0;
      return isKeptForEver ? [] : [[resourceName, ms] as const];
    }),
  );
}

/** Counts the partitions with a replica that is not in sync, by topic. */
async function readCopies(admin: Admin, topics: readonly string[]): Promise<Map<string, number>> {
  if (topics.length === 0) return new Map();
  const { topics: topicMetadata } = await admin.fetchTopicMetadata({ topics: [...topics] });
  return new Map(
    topicMetadata.map(({ name, partitions }) => [
      name,
      partitions.filter(({ isr, replicas }) => isr.length < replicas.length).length,
    ]),
  );
}
