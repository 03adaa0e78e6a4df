import { deadLetterTopic, type Topic } from '@sluice/contracts';
import { ConfigError } from '@sluice/service';
import { type KafkaConfig } from '../connection/config.js';

const hourMs = 60 * 60 * 1000;
/** Limit of a batch: a finished row is at most 1,000,000 bytes; the rest is room for headers and batch. */
const maxMessageBytes = 2 * 1024 * 1024;

/** The wanted settings of a topic. */
export interface TopicSettings {
  readonly topic: string;
  readonly partitions: number;
  readonly replicas: number;
  /** Settings of a new topic, by Kafka's names. */
  readonly entries: Readonly<Record<string, string>>;
  /** Settings that the configuration names. Only these are changed in an existing topic. */
  readonly chosen: Readonly<Record<string, string>>;
}

/** @throws ConfigError when no message could ever be taken. */
export function dataTopic(config: KafkaConfig, { name, ...topicDefaults }: Topic): TopicSettings {
  const { partitions = config.TOPIC_PARTITIONS, retentionHours, retentionBytes } = topicDefaults;
  const configured = retentionHours === undefined ? config.TOPIC_RETENTION_HOURS : undefined;
  const { entries, ...settings } = topicSettings(config, name, partitions, {
    configured,
    fallback: retentionHours ?? 7 * 24,
  });
  const bytes = retentionBytes === undefined ? {} : { 'retention.bytes': String(retentionBytes) };
  return { ...settings, entries: { ...entries, ...bytes } };
}

export function deadLetterSettings(config: KafkaConfig, topic: string): TopicSettings {
  const hours = { configured: config.DEAD_LETTER_RETENTION_HOURS, fallback: 21 * 24 };
  return topicSettings(config, deadLetterTopic(topic), 1, hours);
}

/** Settings of a topic that keeps the last message of each key for ever, in one partition and so in one order. */
export function compactedTopic(config: KafkaConfig, topic: string): TopicSettings {
  const { entries, ...settings } = topicSettings(config, topic, 1, { configured: undefined, fallback: 1 });
  return { ...settings, entries: { ...entries, 'retention.ms': '-1', 'cleanup.policy': 'compact' } };
}

interface Hours {
  readonly configured: number | undefined;
  readonly fallback: number;
}

function topicSettings(config: KafkaConfig, topic: string, partitions: number, hours: Hours): TopicSettings {
  const replicas = config.TOPIC_REPLICATION_FACTOR;
  const override = config.TOPIC_OVERRIDES?.get(topic);
  const inSync = override?.['min-insync-replicas'] ?? config.TOPIC_MIN_INSYNC_REPLICAS;
  const retention = override?.['retention-hours'] ?? hours.configured;
  if (inSync !== undefined && inSync > replicas) {
    throw ConfigError.fromProblems([
      `TOPIC_MIN_INSYNC_REPLICAS: must not be above TOPIC_REPLICATION_FACTOR (${replicas}), is ${inSync} for ${topic}`,
    ]);
  }
  const chosen = {
    ...(retention !== undefined && { 'retention.ms': String(retention * hourMs) }),
    ...(inSync !== undefined && { 'min.insync.replicas': String(inSync) }),
  };
  const entries = {
    'retention.ms': String(hours.fallback * hourMs),
    'max.message.bytes': String(maxMessageBytes),
    'min.insync.replicas': String(replicas >= 3 ? 2 : 1),
    ...chosen,
  };
  return { topic, partitions: override?.partitions ?? partitions, replicas, entries, chosen };
}
