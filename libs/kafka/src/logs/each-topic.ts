import { type Admin, type Kafka } from '@sluice/kafkajs';
import { lendAdmin, withAdmin } from '../connection/admin.js';

/**
 * Does the work for each topic, by one admin connection. When that fails, does it again for each topic with an admin of
 * its own: kafkajs asks for the metadata of all topics of an admin at once, and a deleted one fails all. Work must
 * tolerate that it is repeated.
 * @throws the first failure, after the work for all others
 */
export async function forEachTopic(
  kafka: Kafka,
  topics: readonly string[],
  work: (topic: string, admin: Admin) => Promise<void>,
): Promise<void> {
  try {
    await lendAdmin(kafka, async (admin) => {
      for (const topic of topics) await work(topic, admin);
    });
  } catch {
    await forEachTopicAlone(kafka, topics, work);
  }
}

async function forEachTopicAlone(
  kafka: Kafka,
  topics: readonly string[],
  work: (topic: string, admin: Admin) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const topic of topics) {
    try {
      await withAdmin(kafka, (admin) => work(topic, admin));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
