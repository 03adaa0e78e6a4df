import { deadLetterTopic } from '@sluice/contracts';
import { type ClusterState, type Kafka, type KafkaConfig, readCluster, readLag } from '@sluice/kafka';
import { withKafka } from '../servers/with-kafka.js';
import { destinations } from '../destinations.js';
import { duration } from '../duration.js';
import { type Judged, type StatusReport, type TopicStatus } from '@sluice/console-api';

const limitMs = 15_000;
const daySeconds = 24 * 60 * 60;
const dayMs = daySeconds * 1_000;

/** Reads the state of Kafka and of the topics. @throws OperationError when it cannot be used in time. */
export function readKafkaStatus(
  config: KafkaConfig,
  lateAfterSeconds: number,
): Promise<Pick<StatusReport, 'kafka' | 'data'>> {
  return withKafka(config, limitMs, async (kafka) => {
    const names = destinations.map(({ topic }) => topic);
    const cluster = await readCluster(kafka, [...names, ...names.map(deadLetterTopic)]);
    const topics = await topicsOf(kafka, cluster);
    return { kafka: judgeCluster(cluster), data: { ...judgeData(topics, lateAfterSeconds), topics } };
  });
}

async function topicsOf(kafka: Kafka, { topics }: ClusterState): Promise<TopicStatus[]> {
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
      behind: behind.map(({ waitsMs, ...one }) => ({ ...one, waitsSeconds: waitsMs / 1_000 })),
      lateSince: oldestAt === undefined ? null : new Date(oldestAt).toISOString(),
    };
  });
}

function judgeCluster({ brokers, topics }: ClusterState): Judged & { brokers: number } {
  const missing = topics.filter(({ partitions }) => partitions === 0).map(({ topic }) => topic);
  const outOfSync = topics.filter((topic) => topic.outOfSync > 0).map(({ topic }) => topic);
  const count = `${brokers} ${brokers === 1 ? 'broker' : 'brokers'}`;
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
  const ages = topics.flatMap(({ topic, lateSince, retentionDays }) =>
    lateSince === null ? [] : [{ topic, lateSince, retentionDays, seconds: (now - Date.parse(lateSince)) / 1_000 }],
  );
  const late = ages.filter(({ seconds }) => seconds > lateAfterSeconds).sort((a, b) => b.seconds - a.seconds);
  const [worst] = late;
  if (worst) {
    const others = late.length > 1 ? `, and ${late.length - 1} more` : '';
    const since = `${worst.lateSince.slice(0, 19).replace('T', ' ')} UTC`;
    return {
      verdict: 'late',
      summary: `${worst.topic} is late by ${duration(worst.seconds)}, since ${since}${others}${nearRetention(late)}`,
    };
  }
  const idle = [...new Set(topics.filter(({ members }) => members === 0).map(({ consumer }) => consumer))];
  if (idle.length > 0) return { verdict: 'attention', summary: `no process of ${idle.join(', ')} is in its group` };
  const waiting = topics.reduce((sum, { lag }) => sum + lag, 0);
  return { verdict: 'ok', summary: waiting === 0 ? 'everything is stored' : `${waiting} messages are on their way` };
}

/** Names the topic whose waiting messages retention deletes next, when that is near. */
function nearRetention(late: readonly { topic: string; seconds: number; retentionDays: number | null }[]): string {
  const ends = late.flatMap(({ topic, seconds, retentionDays }) =>
    retentionDays === null
      ? []
      : [{ topic, left: retentionDays * daySeconds - seconds, kept: retentionDays * daySeconds }],
  );
  const [next] = ends.filter(({ left, kept }) => left < kept / 4).sort((a, b) => a.left - b.left);
  return next ? `; retention deletes waiting messages of ${next.topic} in ${duration(next.left)}` : '';
}
