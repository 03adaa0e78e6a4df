import { type Topic } from '@sluice/contracts';
import { type Admin, type ITopicConfig, type Kafka } from '@sluice/kafkajs';
import { retry } from '@sluice/service';
import { withAdmin } from '../connection/admin.js';
import { type KafkaConfig } from '../connection/config.js';
import { applyChanges, findChanges, type TopicChange } from './topic-changes.js';
import { compactedTopic, dataTopic, deadLetterSettings, type TopicSettings } from './topic-settings.js';
import { isTransient } from '../connection/transient-error.js';
import { whenLed } from '../connection/when-led.js';

const leaderTimeoutMs = 45_000;

/** Settings of the topics and of their dead-letter topics. */
const settingsForTopics = (config: KafkaConfig, topics: readonly Topic[]): TopicSettings[] => [
  ...topics.map((topic) => dataTopic(config, topic)),
  ...topics.map(({ name }) => deadLetterSettings(config, name)),
];

/** Creates the topics that do not exist yet, each with its dead letters; existing ones stay as they are. */
export function ensureTopics(kafka: Kafka, config: KafkaConfig, topics: readonly Topic[]): Promise<string[]> {
  return create(kafka, settingsForTopics(config, topics));
}

/** Creates the dead-letter topic of a topic if it does not exist. */
export function ensureDeadLetterTopic(kafka: Kafka, config: KafkaConfig, topic: string): Promise<string[]> {
  return create(kafka, [deadLetterSettings(config, topic)]);
}

/** Creates a topic that keeps the last message of each key, in one partition and so in one order. */
export function ensureCompactedTopic(kafka: Kafka, config: KafkaConfig, name: string): Promise<string[]> {
  return create(kafka, [compactedTopic(config, name)]);
}

/** The differences between the configured topics and those in Kafka. */
export interface TopicPlan {
  /** Topics that are missing. */
  readonly create: readonly string[];
  readonly change: readonly TopicChange[];
}

export async function planTopics(
  kafka: Kafka,
  config: KafkaConfig,
  topics: readonly Topic[],
  compacted: readonly string[],
): Promise<TopicPlan> {
  const settings = [...compacted.map((name) => compactedTopic(config, name)), ...settingsForTopics(config, topics)];
  return withAdmin(kafka, async (admin) => {
    const existing = new Set(await admin.listTopics());
    return {
      create: settings.filter(({ topic }) => !existing.has(topic)).map(({ topic }) => topic),
      change: await findChanges(
        admin,
        settings.filter(({ topic }) => existing.has(topic)),
      ),
    };
  });
}

/** Gives existing topics the settings that were chosen for them. */
export function changeTopics(kafka: Kafka, changes: readonly TopicChange[]): Promise<void> {
  return withAdmin(kafka, (admin) => applyChanges(admin, changes));
}

/** Adds partitions, up to the given number; resolves when their leaders answer. Safe to repeat. */
export function growTopic(kafka: Kafka, topic: string, partitions: number): Promise<void> {
  return withAdmin(kafka, async (admin) => {
    const present = await admin.fetchTopicOffsets(topic);
    if (present.length < partitions) {
      await admin.createPartitions({ topicPartitions: [{ topic, count: partitions }], validateOnly: false });
    }
    const untilAllAnswer = async (): Promise<void> => {
      if ((await admin.fetchTopicOffsets(topic)).length < partitions) throw new PartitionsSpreading();
    };
    const canPass = (error: unknown): boolean => error instanceof PartitionsSpreading || isTransient(error);
    await retry(untilAllAnswer, { forMs: leaderTimeoutMs, while: canPass, firstPauseMs: 100, maxPauseMs: 200 });
  });
}

/** A broker does not know new partitions yet. */
class PartitionsSpreading extends Error {
  override readonly name = 'PartitionsSpreading';
}

const toTopicConfig = ({ topic, partitions, replicas, entries }: TopicSettings): ITopicConfig => ({
  topic,
  numPartitions: partitions,
  replicationFactor: replicas,
  configEntries: Object.entries(entries).map(([name, value]) => ({ name, value })),
});

/** Creates missing topics and returns their names. Another process may create them at the same time. */
async function create(kafka: Kafka, settings: readonly TopicSettings[]): Promise<string[]> {
  return withAdmin(kafka, async (admin) => {
    const existing = new Set(await admin.listTopics());
    const topics = settings.filter(({ topic }) => !existing.has(topic)).map(toTopicConfig);
    if (topics.length > 0) await admin.createTopics({ topics, waitForLeaders: false });
    if (topics.length > 0) await waitForLeaders(admin, topics);
    return topics.map(({ topic }) => topic);
  });
}

/**
 * Replaces kafkajs' own wait, which gives up when a broker does not know a new topic yet. A named leader may not answer
 * yet: asking each for its offsets makes sure that the first send succeeds.
 */
async function waitForLeaders(admin: Admin, topics: ITopicConfig[]): Promise<void> {
  await whenLed(async () => {
    for (const { topic } of topics) await admin.fetchTopicOffsets(topic);
  }, leaderTimeoutMs);
}
