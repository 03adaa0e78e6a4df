import { deadLetterTopic } from '@sluice/contracts';
import { ConfigError } from '@sluice/service';
import { type KafkaConfig } from './config.js';

const hourMs = 60 * 60 * 1000;
/** A finished row is at most 1,000,000 bytes; the rest is room for headers and batch. */
const maxMessageBytes = 2 * 1024 * 1024;

/** A topic as it is to be. */
export interface TopicSettings {
  readonly topic: string;
  readonly partitions: number;
  readonly replicas: number;
  /** Kafka's own names and values. */
  readonly entries: Readonly<Record<string, string>>;
}

/** @throws ConfigError when no message could ever be taken. */
export function dataTopic(config: KafkaConfig, topic: string): TopicSettings {
  return settingsOf(config, topic, {
    partitions: config.TOPIC_PARTITIONS,
    'retention-hours': config.TOPIC_RETENTION_HOURS ?? 7 * 24,
  });
}

export function deadLetters(config: KafkaConfig, topic: string): TopicSettings {
  return settingsOf(config, deadLetterTopic(topic), {
    partitions: 1,
    'retention-hours': config.DEAD_LETTER_RETENTION_HOURS ?? 30 * 24,
  });
}

/** It keeps the last message of each key for ever, in one partition and so in one order. */
export function compactedTopic(config: KafkaConfig, topic: string): TopicSettings {
  const { entries, ...settings } = settingsOf(config, topic, { partitions: 1, 'retention-hours': 1 });
  return { ...settings, entries: { ...entries, 'retention.ms': '-1', 'cleanup.policy': 'compact' } };
}

function settingsOf(
  config: KafkaConfig,
  topic: string,
  usual: Record<'partitions' | 'retention-hours', number>,
): TopicSettings {
  const replicas = config.TOPIC_REPLICATION_FACTOR;
  const inSync = config.TOPIC_MIN_INSYNC_REPLICAS ?? (replicas >= 3 ? 2 : 1);
  const chosen = { ...usual, 'min-insync-replicas': inSync, ...config.TOPIC_OVERRIDES?.get(topic) };
  if (chosen['min-insync-replicas'] > replicas) {
    throw new ConfigError(
      `Invalid configuration:\n  TOPIC_MIN_INSYNC_REPLICAS: must not be above TOPIC_REPLICATION_FACTOR (${replicas}), is ${chosen['min-insync-replicas']} for ${topic}`,
    );
  }
  return {
    topic,
    partitions: chosen.partitions,
    replicas,
    entries: {
      'retention.ms': String(chosen['retention-hours'] * hourMs),
      'max.message.bytes': String(maxMessageBytes),
      'min.insync.replicas': String(chosen['min-insync-replicas']),
    },
  };
}
