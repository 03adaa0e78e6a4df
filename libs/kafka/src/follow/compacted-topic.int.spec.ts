import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, type RunningKafka, startKafka } from '@sluice/testing';
import { type Kafka } from '@sluice/kafkajs';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createKafka } from '../connection/client.js';
import { CompactedTopicFollower, writeCompacted } from './compacted-topic.js';
import { ensureCompactedTopic } from '../topics/topics.js';
import { deleteTopic } from '../topics/delete-topic.spec-support.js';

const watch = { silenceMs: 2_000, lookEveryMs: 200, checkEndEveryMs: 1_000 };
// A separate Kafka, because this test stops it.
let folder: string;
let server: RunningKafka;
let kafka: Kafka;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-test-'));
  server = await startKafka({ dataDir: folder });
  kafka = createKafka({ KAFKA_BROKERS: server.brokers }, 'test');
}, 60_000);
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

let follower: CompactedTopicFollower | undefined;
afterEach(async () => {
  await follower?.stop();
});

const make = async (topic: string, ...keys: string[]): Promise<void> => {
  await ensureCompactedTopic(
    kafka,
    { KAFKA_BROKERS: server.brokers, TOPIC_PARTITIONS: 1, TOPIC_REPLICATION_FACTOR: 1 },
    topic,
  );
  for (const key of keys) await writeCompacted(kafka, topic, { key, value: Buffer.from('x') });
};

/** Follows a topic until it has taken these keys; returns the keys of each reading. */
async function follow(topic: string, ...keys: string[]): Promise<string[][]> {
  const readings: string[][] = [];
  follower = new CompactedTopicFollower(
    kafka,
    topic,
    () => {
      const keys: string[] = [];
      readings.push(keys);
      return { take: ({ key }) => keys.push(key), caughtUp: () => undefined };
    },
    watch,
  );
  follower.follow(); // a Kafka that has just started has no coordinator of groups yet
  await eventually(() => expect(readings.at(-1)).toEqual(keys));
  return readings;
}

it('reads a topic from its beginning when it was recreated', { timeout: 90_000 }, async () => {
  await make('again', 'a', 'b', 'c');
  const readings = await follow('again', 'a', 'b', 'c');
  const before = readings.length;

  await deleteTopic(kafka, 'again');
  await make('again', 'd');

  await eventually(() => expect(readings.at(-1)).toEqual(['d']));
  expect(readings.length).toBeGreaterThan(before);
});

it('reads everything again when kafkajs was silent for too long', { timeout: 90_000 }, async () => {
  await make('silent', 'a');
  const readings = await follow('silent', 'a');
  const before = readings.length;
  const signal = (name: NodeJS.Signals): void => {
    for (const pid of server.pids) process.kill(pid, name);
  };

  signal('SIGSTOP');
  await sleep(watch.silenceMs + 2_000);
  signal('SIGCONT');
  await writeCompacted(kafka, 'silent', { key: 'b', value: Buffer.from('x') });

  await eventually(() => expect(readings.at(-1)).toEqual(['a', 'b']));
  expect(readings.length).toBeGreaterThan(before);
});
