import { type Kafka } from '@sluice/kafkajs';
import { withAdmin } from '../connection/admin.js';

/** Makes a topic of one partition that holds scratch data; `entries` are settings by Kafka's names. */
export function createScratchTopic(
  kafka: Kafka,
  topic: string,
  { replicas, entries }: { replicas: number; entries: Readonly<Record<string, string>> },
): Promise<void> {
  const configEntries = Object.entries(entries).map(([name, value]) => ({ name, value }));
  return withAdmin(kafka, async (admin) => {
    const topics = [{ topic, numPartitions: 1, replicationFactor: replicas, configEntries }];
    await admin.createTopics({ topics, waitForLeaders: true });
  });
}

/** Names of topics and groups that begin with a prefix. */
export function listScratch(kafka: Kafka, prefix: string): Promise<{ topics: string[]; groups: string[] }> {
  return withAdmin(kafka, async (admin) => {
    const groups = (await admin.listGroups()).groups.map(({ groupId }) => groupId);
    const hasPrefix = (name: string): boolean => name.startsWith(prefix);
    return { topics: (await admin.listTopics()).filter(hasPrefix), groups: groups.filter(hasPrefix) };
  });
}

/**
 * Deletes topics and groups. A group that Kafka keeps, because the session of a killed member is not over, keeps no topic.
 * @throws the first failure, after the deletion of all others
 */
export function deleteScratch(
  kafka: Kafka,
  { topics, groups }: { topics: readonly string[]; groups: readonly string[] },
): Promise<void> {
  return withAdmin(kafka, async (admin) => {
    const deletions = await Promise.allSettled([
      topics.length > 0 ? admin.deleteTopics({ topics: [...topics] }) : undefined,
      ...groups.map((group) => admin.deleteGroups([group])),
    ]);
    const failure = deletions.find(({ status }) => status === 'rejected');
    if (failure?.status === 'rejected') throw failure.reason;
  });
}
