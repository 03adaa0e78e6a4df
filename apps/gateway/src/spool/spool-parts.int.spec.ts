import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { header } from '@sluice/contracts';
import { createKafka, ensureTopics, NotPublishedError, type OutgoingMessage, Sender } from '@sluice/kafka';
import { eventually } from '@sluice/testing';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { Outbox } from './outbox.js';
import { Spool } from './spool.js';

// These tests run the built thread of the spool (npm run build).

const kafka = { KAFKA_BROKERS: inject('kafkaBrokers'), TOPIC_PARTITIONS: 3, TOPIC_REPLICATION_FACTOR: 1 };
const nowhere = { KAFKA_BROKERS: ['127.0.0.1:1'] };
const limitBytes = 4 * 1024 * 1024;
const valueBytes = 20_000;

let topic: string;
let folder: string;
let outbox: Outbox | undefined;
beforeEach(async () => {
  topic = `test.${randomUUID()}`;
  folder = await mkdtemp(join(tmpdir(), 'sluice-parts-'));
  await ensureTopics(createKafka(kafka, 'test'), kafka, [{ name: topic, contract: 'test.v1' }]);
});
afterEach(async () => {
  await outbox?.stop(0);
  await rm(folder, { recursive: true });
});

async function start(config: { KAFKA_BROKERS: string[] }): Promise<Outbox> {
  const limits = { SPOOL_MAX_BYTES: limitBytes, SPOOL_MAX_AGE_MS: 60_000 };
  outbox = new Outbox(
    new Sender(createKafka(config, 'test'), [topic]),
    new Spool({ GATEWAY_DATA_DIR: folder, ...limits }),
  );
  await outbox.start();
  return outbox;
}

const messageOf = (source: string): OutgoingMessage => ({
  topic,
  key: source,
  value: JSON.stringify({ source_id: source, text: 'x'.repeat(valueBytes) }),
  headers: { [header.contract]: 'test.v1' },
});

/** Publishes messages of the sources in turn until each was refused 20 times; returns how many of each were taken. */
async function fill(gateway: Outbox, ...sources: string[]): Promise<number[]> {
  const taken = sources.map(() => 0);
  for (let refused = 0; refused < 20;) {
    const results = await Promise.allSettled(sources.map((source) => gateway.publish([messageOf(source)])));
    for (const [index, { status }] of results.entries())
      if (status === 'fulfilled') taken[index] = (taken[index] ?? 0) + 1;
    if (results.every(({ status }) => status === 'rejected')) refused += 1;
  }
  return taken;
}

it('a greedy source leaves room for others, also for those that come after a restart, and in the end all is delivered', async () => {
  const first = await start(nowhere);
  const [greedy = 0] = await fill(first, 'greedy');
  expect((greedy * valueBytes) / limitBytes).toBeCloseTo(1 / 2, 1);
  const refusal: unknown = await first.publish([messageOf('greedy')]).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(NotPublishedError);
  expect(refusal).toMatchObject({ retryAfterSeconds: 30, message: 'the source holds its part of the spool' });
  expect([...first.refusedBySource.keys()]).toEqual(['greedy']);
  expect(first.state).toMatchObject({ unavailableReason: undefined, diskFailure: undefined });
  const [ordinary = 0] = await fill(first, 'ordinary');
  await first.stop(0);

  const second = await start(nowhere);
  // Messages of the first process are counted between calls.
  await eventually(async () => {
    await expect(second.publish([messageOf('greedy')])).rejects.toThrow('its part of the spool');
  });
  await second.publish([messageOf('late')]);
  const [more = 0, late = 0] = await fill(second, 'ordinary', 'late');
  expect(more).toBeLessThanOrEqual(1);
  expect(late).toBeGreaterThan(10);
  const { rows } = second.state;
  expect(rows).toBeGreaterThanOrEqual(greedy + ordinary + more + late + 1);
  await second.stop(0);

  const third = await start(kafka);
  await eventually(() => expect(third.state).toMatchObject({ breaker: 'closed', rows: 0, refused: 0, damaged: 0 }));
  await third.publish([messageOf('greedy')]);
  await third.stop(0);

  // Nothing is held after the drain.
  const fourth = await start(nowhere);
  expect((await fill(fourth, 'greedy'))[0]).toBeCloseTo(greedy, -1);
});
