import { ConfigResourceTypes, type Kafka } from '@sluice/kafkajs';
import { withAdmin } from '../connection/admin.js';

/** Settings of a topic on which rests that acknowledged messages stay. */
export interface TopicDurability {
  readonly topic: string;
  /** Copies of the partition that has fewest. */
  readonly replicas: number;
  readonly minInSync: number;
  readonly hasUncleanElection: boolean;
  /** Undefined where messages are kept for ever. */
  readonly retentionMs: number | undefined;
  /** Bytes of a partition beyond which messages are deleted; undefined without such a bound. */
  readonly retentionBytes: number | undefined;
}

const configNames = [
  'min.insync.replicas',
  'unclean.leader.election.enable',
  'retention.ms',
  'retention.bytes',
  'cleanup.policy',
];

/** Reads the settings of the topics that exist. */
export function readDurability(kafka: Kafka, topics: readonly string[]): Promise<TopicDurability[]> {
  return withAdmin(kafka, async (admin) => {
    const existing = new Set(await admin.listTopics());
    const present = topics.filter((topic) => existing.has(topic));
    if (present.length === 0) return [];
    const { topics: metadata } = await admin.fetchTopicMetadata({ topics: present });
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: present.map((name) => ({ type: ConfigResourceTypes.TOPIC, name, configNames })),
    });
    const entries = new Map(
      resources.map(({ resourceName, configEntries }) => [
        resourceName,
        new Map(configEntries.map(({ configName, configValue }) => [configName, configValue])),
      ]),
    );
    return metadata.map(({ name, partitions }) => {
      const readEntry = (entry: string): string => entries.get(name)?.get(entry) ?? '';
      const bound = (entry: string): number | undefined =>
        readEntry(entry) === '' || Number(readEntry(entry)) < 0 ? undefined : Number(readEntry(entry));
      return {
        topic: name,
        replicas: Math.min(...partitions.map(({ replicas }) => replicas.length)),
        minInSync: Number(readEntry('min.insync.replicas')),
        hasUncleanElection: readEntry('unclean.leader.election.enable') === 'true',
        retentionMs: readEntry('cleanup.policy') === 'compact' ? undefined : bound('retention.ms'),
        retentionBytes: bound('retention.bytes'),
      };
    });
  });
}
