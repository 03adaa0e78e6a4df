import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trackTopic } from '@sluice/contracts';
import { createKafka } from '@sluice/kafka';
import { eventually } from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsumerOptions, startTracking } from './faults/consumer-process.js';
import { local, post, select } from './stack.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-other-'));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const admin = () => createKafka({ KAFKA_BROKERS: local().kafka.brokers }, 'test').admin();

/** Committed offsets of the group in the topic of events, with their metadata. */
async function commits(): Promise<{ offset: string; metadata: string | null }[]> {
  const kafka = admin();
  await kafka.connect();
  const commits = await kafka.fetchOffsets({ groupId: 'tracking', topics: [trackTopic.name] });
  await kafka.disconnect();
  return commits.flatMap(({ partitions }) => partitions.filter(({ offset }) => offset !== '-1'));
}

async function send(): Promise<string> {
  const event = `other_database_${randomUUID().slice(0, 8)}`;
  expect((await post('track', { userId: 'u', event })).status).toBe(200);
  return event;
}

const stored = (database: string, event: string) =>
  select<{ n: number }>(`SELECT count() AS n FROM ${database}.events WHERE event = {event:String}`, { event });

it('a consumer of another database takes no event of this one: it does not start', async () => {
  const { kafka, clickhouse } = local();
  const first = await send();
  await eventually(async () => {
    expect(await stored(clickhouse.database, first)).toEqual([{ n: 1 }]);
    expect((await commits()).some(({ metadata }) => metadata?.startsWith('owner=') === true)).toBe(true);
  });
  const database = `other_${randomUUID().replaceAll('-', '')}`;
  const options: ConsumerOptions = { brokers: kafka.brokers, clickhouseUrl: clickhouse.url, database, folder };

  await expect(startTracking(options)).rejects.toThrow('the consumer group tracking belongs to another database');

  const later = await Promise.all(Array.from({ length: 20 }, send));
  for (const event of later)
    await eventually(async () => expect(await stored(clickhouse.database, event)).toEqual([{ n: 1 }]));
  expect(await select(`SELECT * FROM ${database}.events`)).toEqual([]);
});
