import { setTimeout as sleep } from 'node:timers/promises';
import { deadLetterTopic, type Topic } from '@sluice/contracts';
import type { Admin, ITopicConfig, Kafka } from 'kafkajs';
import { withAdmin } from './admin.js';
import { type KafkaConfig } from './config.js';
import { KafkaJSError } from './kafkajs/index.js';

const dayMs = 24 * 60 * 60 * 1000;
const leaderTimeoutMs = 15_000;
/** A finished row is at most 1,000,000 bytes; the rest is room for headers and batch. */
const maxMessageBytes = 2 * 1024 * 1024;

/** Creates the topics that do not exist yet, each with its dead letters; existing ones stay as they are. */
export function ensureTopics(kafka: Kafka, config: KafkaConfig, topics: readonly Topic[]): Promise<string[]> {
  return create(kafka, [
    ...topics.map(({ name }) => topicConfig(config, name, config.TOPIC_PARTITIONS, 7 * dayMs)),
    ...topics.map(({ name }) => topicConfig(config, deadLetterTopic(name), 1, 30 * dayMs)),
  ]);
}

/** Creates a topic that keeps the last message of each key for ever, in one partition and so in one order. */
export function ensureCompactedTopic(kafka: Kafka, config: KafkaConfig, name: string): Promise<string[]> {
  const { topic, ...rest } = topicConfig(config, name, 1, -1);
  return create(kafka, [
    { topic, ...rest, configEntries: [...(rest.configEntries ?? []), { name: 'cleanup.policy', value: 'compact' }] },
  ]);
}

function topicConfig(config: KafkaConfig, topic: string, numPartitions: number, retentionMs: number): ITopicConfig {
  const replicas = config.TOPIC_REPLICATION_FACTOR;
  return {
    topic,
    numPartitions,
    replicationFactor: replicas,
    configEntries: [
      { name: 'retention.ms', value: String(retentionMs) },
      { name: 'max.message.bytes', value: String(maxMessageBytes) },
      { name: 'min.insync.replicas', value: String(replicas >= 3 ? 2 : 1) },
    ],
  };
}

/** Returns the names of the topics that were created now; another process creating them at the same time is fine. */
async function create(kafka: Kafka, wanted: ITopicConfig[]): Promise<string[]> {
  return withAdmin(kafka, async (admin) => {
    const existing = new Set(await admin.listTopics());
    const topics = wanted.filter(({ topic }) => !existing.has(topic));
    if (topics.length > 0) await admin.createTopics({ topics, waitForLeaders: false });
    if (topics.length > 0) await waitForLeaders(admin, topics);
    return topics.map(({ topic }) => topic);
  });
}

/**
 * kafkajs' own wait gives up when a broker does not know a new topic yet; that passes. A leader that is named is not yet
 * one that answers: asking each for its offsets makes sure that the first send will not be turned away.
 */
async function waitForLeaders(admin: Admin, wanted: ITopicConfig[]): Promise<void> {
  const deadline = Date.now() + leaderTimeoutMs;
  for (;;) {
    try {
      for (const { topic } of wanted) await admin.fetchTopicOffsets(topic);
      return;
    } catch (error) {
      if (!(error instanceof KafkaJSError && error.retriable)) throw error;
    }
    if (Date.now() > deadline) throw new Error(`topics have no leaders after ${leaderTimeoutMs} ms`);
    await sleep(100);
  }
}
