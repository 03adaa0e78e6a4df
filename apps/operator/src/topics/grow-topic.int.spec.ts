import { randomUUID } from 'node:crypto';
import { adRequestTopic } from '@sluice/contracts';
import { createKafka, ensureTopics, type KafkaConfig, readCluster, Sender } from '@sluice/kafka';
import type {} from '@sluice/testing'; // types of `inject`
import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest';
import { json, operator } from '../operator.spec-support.js';

const { name: topic } = adRequestTopic;

beforeEach(() => {
  vi.stubEnv('SLUICE_DATA_DIR', '/no/such/folder');
  vi.stubEnv('KAFKA_BROKERS', inject('kafkaBrokers').join(','));
});
afterEach(() => {
  vi.unstubAllEnvs();
});

async function aTopic(): Promise<{ kafka: ReturnType<typeof createKafka>; partitions: () => Promise<number> }> {
  const config: KafkaConfig = {
    KAFKA_BROKERS: inject('kafkaBrokers'),
    TOPIC_PARTITIONS: 3,
    TOPIC_REPLICATION_FACTOR: 1,
  };
  const kafka = createKafka(config, 'test');
  await ensureTopics(kafka, config, [adRequestTopic]);
  return { kafka, partitions: async () => (await readCluster(kafka, [topic])).topics[0]?.partitions ?? 0 };
}

it('adds partitions only when asked to, and not while messages wait', async () => {
  const { kafka, partitions } = await aTopic();
  const before = await partitions();
  const grow = (...options: string[]) => operator('topics', 'grow', topic, String(before + 1), ...options);

  const warned = await grow();
  expect(warned.exitCode).toBe(1);
  expect(warned.stdout).toContain(`${topic} gets ${before + 1} partitions instead of ${before}`);
  expect(warned.stderr).toBe('error: nothing was changed; repeat it with --yes\n');
  expect(await partitions()).toBe(before);

  // The group has no commit, so a message of the topic waits.
  const sender = new Sender(kafka, [topic]);
  await sender.start();
  await sender.send([{ topic, key: randomUUID(), value: '{}', headers: {} }]);
  await sender.stop();
  const refused = await grow('--yes');
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toMatch(
    /^error: nothing was changed: the group tracking has \d+ messages .*--despite-backlog\n$/,
  );

  const grown = await json('topics', 'grow', topic, String(before + 1), '--yes', '--despite-backlog');
  expect(grown).toMatchObject({ from: before, to: before + 1, isDone: true });
  expect(await partitions()).toBe(before + 1);
});

it.each([
  ['a topic that is not a data topic', ['sources.v1', '2'], 'is not a data topic of Sluice'],
  ['a count that is not a number', [topic, 'many'], 'must be a whole number'],
  ['fewer partitions', [topic, '1'], 'they can only be added'],
])('refuses %s, in one line', async (_, args, message) => {
  await aTopic();
  const { exitCode, stdout, stderr } = await operator('topics', 'grow', ...args, '--yes');

  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toMatch(/^error: [^\n]*\n$/);
  expect(stderr).toContain(message);
});
