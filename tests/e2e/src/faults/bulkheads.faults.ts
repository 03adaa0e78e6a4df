import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@clickhouse/client';
import {
  deadLetterTopic,
  type EventRow,
  header,
  identifyTopic,
  type IdentifyRow,
  type Topic,
  trackTopic,
} from '@sluice/contracts';
import { createKafka, type Kafka, Publisher, Sender } from '@sluice/kafka';
import { eventually, type ServerProcess, signalGroup } from '@sluice/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ClusterSettings } from './thousand/cluster-settings.js';
import { startTracking } from './consumer-process.js';
import { forgetPeak, peakMb } from './peak-memory.js';
import { TestBed } from './test-bed.js';

// A failing table or stuck partitions do not delay others. Runs the built tracking service (npm run build).

const timeout = { timeout: 240_000, interval: 500 };
const partitions = 12;
const perSend = 1_000;
const backlog = 1_000_000;
const identifies = 600;
const maxMb = 512;

let bed: TestBed;
let kafka: Kafka;
let publisher: Publisher;
let tracking: ServerProcess;
let sent: Set<string>;

beforeEach(async () => {
  bed = await TestBed.start({ TOPIC_PARTITIONS: String(partitions), BLOCK_MAX_AGE_MS: '1000' });
  kafka = createKafka({ KAFKA_BROKERS: bed.brokers }, 'bulkheads');
  sent = new Set();
  tracking = await startTracking(bed.options);
  publisher = new Publisher(new Sender(kafka, [trackTopic.name, identifyTopic.name]));
  await publisher.start();
}, 300_000);
afterEach(async () => {
  await publisher.stop();
  await tracking.stop(30_000);
  await bed.stop();
}, 120_000);

async function command(query: string): Promise<void> {
  const { href } = new URL(bed.options.clickhouseUrl);
  const client = createClient({ url: href, database: bed.ledger.database });
  await client.command({ query });
  await client.close();
}

const aRow = (id: string) => {
  const now = new Date().toISOString();
  const user_id = `user-${id}`;
  const source_id = 'FaultSource1';
  const request_id = randomUUID();
  return { source_id, request_id, received_at: now, message_id: id, user_id, timestamp: now, anonymous_id: undefined };
};

/** Retries unacknowledged messages as possible repeats, like the gateway. */
async function publish(topic: Topic, rows: readonly (EventRow | IdentifyRow)[]): Promise<void> {
  for (let isRepeat = false; ; isRepeat = true) {
    const headers = { [header.contract]: topic.contract, ...(isRepeat && { [header.possibleRepeat]: '1' }) };
    const messages = rows.map((row) => ({
      topic: topic.name,
      key: row.user_id ?? '',
      value: JSON.stringify(row),
      headers,
    }));
    const isTaken = await publisher.publish(messages).then(
      () => true,
      () => false,
    );
    if (isTaken) return;
    await sleep(500);
  }
}

async function publishEvents(count: number): Promise<void> {
  for (let i = 0; i < count; i += perSend) {
    const rows = Array.from({ length: perSend }, () => ({
      ...aRow(randomUUID()),
      context: undefined,
      event: 'something_happened',
      properties: { price: 49.9, name: 'Something nice' },
    }));
    await publish(trackTopic, rows);
    for (const { message_id } of rows) sent.add(message_id);
  }
}

/** Publishes identifies over three seconds. Resolves with the seconds from the last one until all are stored. */
async function identifiesTake(): Promise<number> {
  const before = await storedIdentifies();
  for (let i = 0; i < identifies; i += 100) {
    const rows = Array.from({ length: 100 }, () => ({
      ...aRow(randomUUID()),
      context: undefined,
      traits: { plan: 'gold' },
    }));
    await publish(identifyTopic, rows);
    await sleep(500);
  }
  const startedAt = performance.now();
  await eventually(async () => {
    expect(await storedIdentifies()).toBe(before + identifies);
  }, 240_000);
  return (performance.now() - startedAt) / 1_000;
}

async function storedIdentifies(): Promise<number> {
  const [row] = await bed.ledger.select<{ n: string }>('SELECT count() AS n FROM identifies');
  return Number(row?.n);
}

async function untilAllStored(): Promise<void> {
  await eventually(async () => {
    expect(await bed.ledger.count()).toBe(sent.size);
  }, 240_000);
  const { size } = sent;
  expect(await bed.ledger.balance(sent)).toEqual({ sent: size, stored: size, unique: size, lost: 0, doubled: 0 });
}

const manage = async (path: string): Promise<string> =>
  (await fetch(`http://127.0.0.1:${tracking.spec.port}${path}`, { signal: AbortSignal.timeout(5_000) })).text();

it('while the table of 400,000 events is missing, stores identifies within seconds, and later each event once', async () => {
  await publishEvents(10_000);
  await untilAllStored();
  await forgetPeak(tracking.pid);
  await command('RENAME TABLE events TO events_gone');
  const goneAt = performance.now();
  await publishEvents(400_000);
  const seconds = await identifiesTake();
  const metrics = await manage('/metrics');
  expect(metrics).toMatch(
    /sluice_consumer_stuck_seconds\{topic="tracking\.track\.v1",partition="\d+",what="block",code="UNKNOWN_TABLE"\}/,
  );
  expect(await manage('/health/live')).toContain('block UNKNOWN_TABLE since');
  await sleep(Math.max(0, 40_000 - (performance.now() - goneAt)));
  await command('RENAME TABLE events_gone TO events');
  const backAt = performance.now();
  await untilAllStored();
  const drained = (performance.now() - backAt) / 1_000;
  const peak = await peakMb(tracking.pid);
  console.log(
    `table gone for ${Math.round((backAt - goneAt) / 1_000)} s: identifies stored after ${seconds.toFixed(1)} s, events ${drained.toFixed(1)} s after it was back; peak ${peak} MiB`,
  );
  expect(seconds).toBeLessThan(15);
  expect(peak).toBeLessThan(maxMb);
}, 600_000);

it('answers liveness within two seconds while 40,000 messages of 60 bytes are refused, each buried once', async () => {
  const refused = 40_000;
  const producer = kafka.producer();
  await producer.connect();
  const letters = async (): Promise<number> => {
    const counts = (await manage('/metrics')).matchAll(/^sluice_consumer_dead_letters_total\{.*\} (\d+)$/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  signalGroup(tracking.pid, 'SIGSTOP');
  const messages = Array.from({ length: perSend }, () => ({ partition: 0, value: 'x'.repeat(60) }));
  for (let i = 0; i < refused; i += perSend) await producer.send({ topic: trackTopic.name, acks: -1, messages });
  await producer.disconnect();
  signalGroup(tracking.pid, 'SIGCONT');
  let [slowest, count] = [0, 0];
  const deadline = performance.now() + timeout.timeout;
  while (count < refused && performance.now() < deadline) {
    const askedAt = performance.now();
    await manage('/health/live');
    slowest = Math.max(slowest, performance.now() - askedAt);
    count = await letters();
    await sleep(50);
  }
  console.log(`${count} refusals; slowest answer of /health/live ${Math.round(slowest)} ms`);
  expect(count).toBe(refused);
  expect(slowest).toBeLessThan(2_000);
}, 300_000);

it('while dead letters of four partitions cannot be written, drains all others and other topics at full speed', async () => {
  await publishEvents(10_000);
  await untilAllStored();
  const free = await drainRate([]);

  await new ClusterSettings(bed.brokers).with(deadLetterTopic(trackTopic.name), 'max.message.bytes', '10', async () => {
    const producer = kafka.producer();
    await producer.connect();
    const messages = [0, 1, 2, 3].map((partition) => ({ partition, value: 'no contract' }));
    await producer.send({ topic: trackTopic.name, acks: -1, messages });
    await producer.disconnect();
    await eventually(async () => {
      expect((await manage('/metrics')).match(/^sluice_consumer_stuck_seconds\{.*dead letters/gm)).toHaveLength(4);
    }, 240_000);

    const rateWithFault = await drainRate([0, 1, 2, 3]);
    const seconds = await identifiesTake();
    console.log(
      `rows/s of a million over 12 partitions: ${free} with none stuck, ${rateWithFault} of the other eight with four stuck; identifies after ${seconds.toFixed(1)} s`,
    );
    expect(seconds).toBeLessThan(15);
    expect(rateWithFault).toBeGreaterThan(free / 3);
  });
  await untilAllStored();
}, 900_000);

/**
 * Publishes a million events while the service is paused. Resolves with the rows per second that it then stores from
 * the partitions that are not stuck.
 */
async function drainRate(stuck: readonly number[]): Promise<number> {
  const before = await storedExcept(stuck);
  signalGroup(tracking.pid, 'SIGSTOP');
  await publishEvents(backlog);
  signalGroup(tracking.pid, 'SIGCONT');
  const startedAt = performance.now();
  let last = { stored: before, at: startedAt };
  while (performance.now() - last.at < 15_000) {
    await sleep(500);
    const stored = await storedExcept(stuck);
    if (stored > last.stored) last = { stored, at: performance.now() };
  }
  // Users are spread almost evenly over the partitions.
  const share = (last.stored - before) / ((backlog * (partitions - stuck.length)) / partitions);
  expect(share).toBeGreaterThan(0.95);
  return Math.round((last.stored - before) / ((last.at - startedAt) / 1_000));
}

async function storedExcept(stuck: readonly number[]): Promise<number> {
  const where = stuck.length === 0 ? '1' : `kafka_partition NOT IN (${stuck.join()})`;
  const [row] = await bed.ledger.select<{ n: string }>(`SELECT count() AS n FROM events WHERE ${where}`);
  return Number(row?.n);
}

it('while INSERTs of events hang, stores identifies within seconds, and later each event once', async () => {
  await publishEvents(10_000);
  await untilAllStored();
  await forgetPeak(tracking.pid);
  bed.proxy.hang('events');
  await publishEvents(400_000);
  await eventually(() => expect(bed.proxy.hangingInserts).toBeGreaterThan(0), 240_000);
  const first = await identifiesTake();
  await sleep(15_000);
  expect(await manage('/health/live')).toContain('block no_answer since');
  const second = await identifiesTake();
  bed.proxy.release();
  await untilAllStored();
  const peak = await peakMb(tracking.pid);
  const log = await readFile(join(bed.options.folder, 'tracking.log'), 'utf8');
  expect(log).not.toContain('has no end');
  console.log(`INSERTs hang: identifies after ${first.toFixed(1)} s and ${second.toFixed(1)} s; peak ${peak} MiB`);
  expect(Math.max(first, second)).toBeLessThan(15);
  expect(peak).toBeLessThan(maxMb);
}, 600_000);
