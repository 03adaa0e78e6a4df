import { deadLetterTopic } from '@sluice/contracts';
import { type ClusterState, type Kafka, type KafkaConfig, readCluster, readLag } from '@sluice/kafka';
import { formatCount } from '../format-count.js';
import { withKafka } from '../servers/with-kafka.js';
import { destinations } from '../destinations.js';
import { formatDuration } from '../format-duration.js';
import { type Judged, type SystemReport, type TopicStatus } from '@sluice/console-api';

const limitMs = 15_000;
/** Seconds for which no message waits for a working consumer: one that waits longer is not OK, though not late yet. */
const waitsAfterSeconds = 15;
const daySeconds = 24 * 60 * 60;
const dayMs = daySeconds * 1_000;

/** Reads the state of Kafka and of the topics. @throws OperationError when it cannot be used in time. */
export function readKafkaStatus(
  config: KafkaConfig,
  lateAfterSeconds: number,
): Promise<Pick<SystemReport, 'kafka' | 'data'>> {
  return withKafka(config, limitMs, async (kafka) => {
    const names = destinations.map(({ topic }) => topic);
    const cluster = await readCluster(kafka, [...names, ...names.map(deadLetterTopic)]);
    const topics = await readTopics(kafka, cluster);
    return { kafka: judgeCluster(cluster), data: { ...judgeData(topics, lateAfterSeconds), topics } };
  });
}

async function readTopics(kafka: Kafka, { topics }: ClusterState): Promise<TopicStatus[]> {
  const states = new Map(topics.map((state) => [state.topic, state]));
  const lags = await readLag(
    kafka,
    destinations.filter(({ topic }) => (states.get(topic)?.partitions ?? 0) > 0),
  );
  return lags.map(({ topic, group, members, messages, behind, oldestAt }) => {
    const { partitions = 0, retentionMs } = states.get(topic) ?? {};
    return {
      topic,
      partitions,
      retentionDays: retentionMs === undefined ? null : retentionMs / dayMs,
      consumer: group,
      members,
      lag: messages,
      behind: behind.map(({ waitsMs, ...backlog }) => ({ ...backlog, waitsSeconds: waitsMs / 1_000 })),
      lateSince: oldestAt === undefined ? null : new Date(oldestAt).toISOString(),
    };
  });
}

function judgeCluster({ brokers, topics }: ClusterState): Judged & { brokers: number } {
  const missing = topics.filter(({ partitions }) => partitions === 0).map(({ topic }) => topic);
  const outOfSync = topics.filter((topic) => topic.outOfSync > 0).map(({ topic }) => topic);
  const count = formatCount(brokers, 'broker', 'brokers');
  if (missing.length > 0)
    return {
      brokers,
      verdict: 'attention',
      summary: `${count}; ${missing.length} topics are missing: operator migrate`,
    };
  if (outOfSync.length > 0)
    return { brokers, verdict: 'attention', summary: `${count}; copies are not in sync: ${outOfSync.join(', ')}` };
  return { brokers, verdict: 'ok', summary: `${count}, all copies of all topics in sync` };
}

export function judgeData(topics: readonly TopicStatus[], lateAfterSeconds: number, now = Date.now()): Judged {
  const ages = topics
    .flatMap(({ topic, lateSince, retentionDays }) =>
      lateSince === null ? [] : [{ topic, lateSince, retentionDays, seconds: (now - Date.parse(lateSince)) / 1_000 }],
    )
    .sort((a, b) => b.seconds - a.seconds);
  const lateTopics = ages.filter(({ seconds }) => seconds > lateAfterSeconds);
  const [worst] = lateTopics;
  if (worst) {
    const otherTopics =
      lateTopics.length > 1
        ? `; ${formatCount(lateTopics.length - 1, 'other topic is', 'other topics are')} late too`
        : '';
    const since = `${worst.lateSince.slice(0, 19).replace('T', ' ')} UTC`;
    return {
      verdict: 'late',
      summary: `${worst.topic} is late by ${formatDuration(worst.seconds)}, since ${since}${otherTopics}${describeNearRetention(lateTopics)}`,
    };
  }
  const idle = [...new Set(topics.filter(({ members }) => members === 0).map(({ consumer }) => consumer))];
  if (idle.length > 0) return { verdict: 'attention', summary: `no process of ${idle.join(', ')} is in its group` };
  const waiting = topics.reduce((sum, { lag }) => sum + lag, 0);
  const [oldest] = ages;
  if (oldest && oldest.seconds > Math.min(waitsAfterSeconds, lateAfterSeconds))
    return {
      verdict: 'attention',
      summary: `messages of ${oldest.topic} have waited for ${formatDuration(oldest.seconds)} to be stored`,
    };
  return {
    verdict: 'ok',
    summary:
      waiting === 0
        ? 'everything is stored'
        : formatCount(waiting, 'message is on its way', 'messages are on their way'),
  };
}

/** Names the topic whose waiting messages retention deletes next, when that is near. */
function describeNearRetention(
  lateTopics: readonly { topic: string; seconds: number; retentionDays: number | null }[],
): string {
  const deadlines = lateTopics.flatMap(({ topic, seconds, retentionDays }) =>
    retentionDays === null
      ? []
      : [{ topic, secondsLeft: retentionDays * daySeconds - seconds, retentionSeconds: retentionDays * daySeconds }],
  );
  const [nextDeadline] = deadlines
    .filter(({ secondsLeft, retentionSeconds }) => secondsLeft < retentionSeconds / 4)
    .sort((a, b) => a.secondsLeft - b.secondsLeft);
  return nextDeadline
    ? `; retention deletes waiting messages of ${nextDeadline.topic} in ${formatDuration(nextDeadline.secondsLeft)}`
    : '';
}
