import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@clickhouse/client';
import { header, trackTopic } from '@sluice/contracts';
import { createKafka, DeadLetterBox, Publisher, Sender } from '@sluice/kafka';
import { eventually, type ServerProcess } from '@sluice/testing';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { type ConsumerOptions, forgetOwner, startTracking } from './consumer-process.js';
import { EventsLedger } from './events-ledger.js';
import { StreamLoad } from '../load/stream-load.js';
import { faultSource, requireStream } from './thousand/stream.js';
import { ResetProxy } from './reset-proxy.js';

// A short version of exactly-once.faults.ts. Runs the built tracking service (npm run build). The tests are in one file
// because they share a consumer group.

const track = requireStream('track');
const brokers = inject('kafkaBrokers');
const kafka = createKafka({ KAFKA_BROKERS: brokers }, 'test');

let folder: string;
let ledger: EventsLedger;
let options: ConsumerOptions;
const instances: ServerProcess[] = [];

beforeEach(async () => {
  await forgetOwner(brokers);
  const database = `kills_${randomUUID().replaceAll('-', '')}`;
  await command(`CREATE DATABASE ${database}`);
  ledger = new EventsLedger(inject('clickhouseUrl'), database, 'message_id', faultSource);
  await ledger.prepare();
  folder = await mkdtemp(join(tmpdir(), 'sluice-kills-'));
  options = { brokers, clickhouseUrl: inject('clickhouseUrl'), database, folder };
});
afterEach(async () => {
  // Stop gracefully: an open block would be replayed into the next test.
  await Promise.all(instances.splice(0).map((instance) => instance.stop(30_000)));
  await ledger.close();
  await rm(folder, { recursive: true, force: true });
});

async function command(query: string, database = 'default'): Promise<void> {
  const client = createClient({ url: inject('clickhouseUrl'), database });
  await client.command({ query });
  await client.close();
}

async function start(changes: Partial<ConsumerOptions> = {}): Promise<ServerProcess> {
  const instance = await startTracking({ ...options, ...changes });
  instances.push(instance);
  return instance;
}

async function startLoad(rowsPerSecond: number): Promise<StreamLoad> {
  const load = new StreamLoad(brokers, [track]);
  await load.start();
  load.resume(rowsPerSecond / track.rowsPerSecond);
  return load;
}

/** Waits until everything is stored and asserts that it is stored once. */
async function untilStored(load: StreamLoad): Promise<void> {
  const ids = load.ids(track);
  const isComplete = async () => {
    expect(await ledger.balance(ids)).toMatchObject({ lost: 0 });
  };
  await eventually(isComplete, 90_000);
  const sent = ids.size;
  expect(await ledger.balance(ids)).toEqual({ sent, stored: sent, unique: sent, lost: 0, doubled: 0 });
}

it('stores every acknowledged message once when consumers are killed at the worst moments', async () => {
  const survivor = await start();
  const load = await startLoad(500);

  for (const point of ['after-intent:2', 'after-insert:3', 'after-dead-letters:2']) {
    const doomed = await startTracking(options, point);
    instances.push(doomed);
    expect(await Promise.race([doomed.ended, sleep(45_000, 'alive')])).toBe('SIGKILL');
  }
  await survivor.stop(0);
  await start();
  await load.stop();

  await untilStored(load);
}, 240_000);

it('stops within its deadline while ClickHouse is unavailable, and loses and doubles nothing', async () => {
  const proxy = await ResetProxy.start(Number(new URL(inject('clickhouseUrl')).port));
  const instance = await start({ clickhouseUrl: proxy.url });
  const load = await startLoad(500);
  await eventually(async () => {
    expect(await ledger.count()).toBeGreaterThan(0);
  }, 90_000);
  await proxy.stop();
  const before = load.acknowledgedCount(track);
  await eventually(() => expect(load.acknowledgedCount(track)).toBeGreaterThan(before + 1_000), 90_000);

  const stoppedAt = performance.now();
  await instance.stop(60_000);
  expect(performance.now() - stoppedAt).toBeLessThan(25_000);
  expect(await instance.ended).toBe('exit code 0');

  await load.stop();
  await start();
  await untilStored(load);
}, 240_000);

it('stores a dead letter once when it is replayed twice after the cause of its refusal is fixed', async () => {
  await command('ALTER TABLE events ADD COLUMN seats UInt8', ledger.database);
  await start();
  const publisher = new Publisher(new Sender(kafka, [trackTopic.name]));
  await publisher.start();
  const id = randomUUID();
  const row = {
    source_id: 'FaultSource1',
    request_id: randomUUID(),
    received_at: new Date().toISOString(),
    message_id: id,
    event: 'seats_taken',
    seats: 'a dozen',
  };
  await publisher.publish([
    {
      topic: trackTopic.name,
      key: 'k',
      value: JSON.stringify(row),
      headers: { [header.contract]: trackTopic.contract },
    },
  ]);
  await publisher.stop();

  const box = new DeadLetterBox(kafka);
  const letters = await eventually(async () => {
    const letters = await box.read({
      topics: [trackTopic.name],
      limit: 1,
      matches: ({ value }) => value?.includes(id) ?? false,
    });
    expect(letters).toHaveLength(1);
    return letters;
  }, 90_000);
  expect(await ledger.count()).toBe(0);

  await command('ALTER TABLE events MODIFY COLUMN seats String', ledger.database);
  await box.replay(letters);
  await box.replay(letters);
  const load = await startLoad(100);
  await eventually(async () => {
    expect(await ledger.count()).toBeGreaterThan(200);
  }, 90_000);
  await load.stop();
  await eventually(async () => {
    expect(await ledger.count()).toBe(load.acknowledgedCount(track) + 1);
  }, 90_000);
  expect(await ledger.balance(new Set([...load.ids(track), id]))).toMatchObject({ lost: 0, doubled: 0 });
}, 240_000);
