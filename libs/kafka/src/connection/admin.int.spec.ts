import { randomUUID } from 'node:crypto';
import type {} from '@sluice/testing'; // types of `inject`
import { inject, it } from 'vitest';
import { ensureTopics } from '../topics/topics.js';
import { withAdmin } from './admin.js';
import { createKafka } from './client.js';

const partitions = 20;
const config = { KAFKA_BROKERS: inject('kafkaBrokers'), TOPIC_PARTITIONS: 1, TOPIC_REPLICATION_FACTOR: 1 };

it('reads the ends of added partitions as soon as a broker knows of them', async () => {
  const kafka = createKafka(config, 'test');
  const topics = Array.from({ length: 5 }, () => ({ name: `test.${randomUUID()}`, contract: 'test.v1' }));
  await ensureTopics(kafka, config, topics);
  for (const { name: topic } of topics) {
    await withAdmin(kafka, (admin) => admin.createPartitions({ topicPartitions: [{ topic, count: partitions }] }));
    const countKnown = async (): Promise<number> =>
      (await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topic))).length;
    while ((await countKnown()) < partitions);
  }
}, 60_000);
