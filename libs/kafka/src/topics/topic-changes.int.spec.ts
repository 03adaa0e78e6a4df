import { randomUUID } from 'node:crypto';
import type {} from '@sluice/testing'; // types of `inject`
import { expect, inject, it } from 'vitest';
import { withAdmin } from '../connection/admin.js';
import { createKafka } from '../connection/client.js';
import { type KafkaConfig } from '../connection/config.js';
import { ConfigResourceTypes } from '@sluice/kafkajs';
import { changeTopics, ensureTopics, planTopics } from './topics.js';

const config: KafkaConfig = {
  KAFKA_BROKERS: inject('kafkaBrokers'),
  TOPIC_PARTITIONS: 1,
  TOPIC_REPLICATION_FACTOR: 1,
};
const kafka = createKafka(config, 'test');

const settings = (topic: string): Promise<Record<string, string>> =>
  withAdmin(kafka, async (admin) => {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: ConfigResourceTypes.TOPIC, name: topic }],
    });
    const entries = resources.flatMap(({ configEntries }) => configEntries);
    return Object.fromEntries(entries.map(({ configName, configValue }) => [configName, configValue]));
  });

it('changes only the chosen settings of a topic', async () => {
  const topic = { name: `plan-${randomUUID()}`, contract: 'test.v1' };
  expect((await planTopics(kafka, config, [topic], [])).create).toEqual([topic.name, `${topic.name}.dlq`]);
  await ensureTopics(kafka, config, [topic]);
  expect(await planTopics(kafka, config, [topic], [])).toEqual({ create: [], change: [] });

  const shorter = { ...config, TOPIC_RETENTION_HOURS: 2, TOPIC_PARTITIONS: 3 };
  const { change } = await planTopics(kafka, shorter, [topic], []);
  expect(change).toEqual([{ topic: topic.name, setting: 'retention.ms', from: '604800000', to: '7200000' }]);
  expect(await settings(topic.name)).toMatchObject({ 'retention.ms': '604800000' });

  await changeTopics(kafka, change);
  expect(await settings(topic.name)).toMatchObject({ 'retention.ms': '7200000', 'max.message.bytes': '2097152' });
  expect(await planTopics(kafka, shorter, [topic], [])).toEqual({ create: [], change: [] });
  expect(await planTopics(kafka, config, [topic], [])).toEqual({ create: [], change: [] });
});
