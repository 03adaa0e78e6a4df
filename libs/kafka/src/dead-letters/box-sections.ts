import { deadLetterTopic } from '@sluice/contracts';
import { type Admin, type Kafka } from '@sluice/kafkajs';
import { withAdmin } from '../connection/admin.js';
import { type Section } from './read-sections.js';

/** A section of a dead-letter topic; `isWhole` when nothing lies before it. */
export interface BoxSection extends Section {
  readonly isWhole: boolean;
}

/**
 * Reads what there is to read of the dead-letter topics that exist.
 * @param topics data topics of the messages
 * @param newest number of messages of each partition, the newest; without it all
 */
export function readBoxSections(kafka: Kafka, topics: readonly string[], newest?: number): Promise<BoxSection[]> {
  return withAdmin(kafka, async (admin) => {
    const existing = new Set(await admin.listTopics());
    const boxes = topics.map(deadLetterTopic).filter((topic) => existing.has(topic));
    const sections = await Promise.all(boxes.map((topic) => readTopicSections(admin, topic, newest)));
    return sections.flat();
  });
}

async function readTopicSections(admin: Admin, topic: string, newest: number | undefined): Promise<BoxSection[]> {
  const offsets = await admin.fetchTopicOffsets(topic);
  return offsets.map(({ partition, low, high }) => {
    const [first, end] = [BigInt(low), BigInt(high)];
    const start = newest === undefined ? first : end - BigInt(newest);
    const isWhole = start <= first;
    return { topic, partition, from: isWhole ? first : start, end, isWhole };
  });
}
