import { setTimeout as sleep } from 'node:timers/promises';
import { trackTopic } from '@sluice/contracts';
import { createKafka, type GroupLag, type Kafka, readLag } from '@sluice/kafka';
import { eventually, type ServerProcess } from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTracking } from './consumer-process.js';
import { processCpuSeconds } from './cpu-time.js';
import { StreamLoad } from '../load/stream-load.js';
import { requireStream } from './thousand/stream.js';
import { TestBed } from './test-bed.js';

// More instances of the built tracking service (npm run build) store more, and nothing is lost or doubled.

const rowsPerSecond = 4_000;
/** Maximal lag under load: rows of open blocks and of running INSERTs on a busy machine. */
const underWay = 3 * rowsPerSecond;
const settleMs = 4_000;
/** Backlog of each measurement, the rate at which it is produced, and the delay of each INSERT's answer. */
const backlogRows = 60_000;
const backlogPerSecond = 20_000;
const insertDelayMs = 1_500;
/**
 * Blocks small enough to make the delay the limit. An instance runs 4 INSERTs at once, so it stores 2,667 rows/s; with
 * the default of 50,000 rows per block its CPU would be the limit.
 */
const smallBlocks = { BLOCK_MAX_ROWS: '1000' };

let bed: TestBed;
let kafka: Kafka;
const track = requireStream('track');
let load: StreamLoad;
const instances: ServerProcess[] = [];

beforeAll(async () => {
  bed = await TestBed.start({ TOPIC_PARTITIONS: '12' });
  kafka = createKafka({ KAFKA_BROKERS: bed.brokers }, 'scaling');
  load = new StreamLoad(bed.brokers, [track]);
  // The first start of the service creates the topic.
  await scaleBy(1);
  await load.start();
  await scaleBy(-1);
});
afterAll(async () => {
  await load.stop();
  await Promise.all(instances.map((instance) => instance.stop()));
  await bed.stop();
}, 120_000);

/** Adds instances, or stops some gracefully if `change` is negative. */
async function scaleBy(change: number, settings: Record<string, string> = {}): Promise<void> {
  const options = { ...bed.options, settings: { ...bed.options.settings, ...settings } };
  const startedServices = Array.from({ length: Math.max(0, change) }, () => startTracking(options));
  instances.push(...(await Promise.all(startedServices)));
  const fewer = instances.splice(change < 0 ? change : instances.length);
  await Promise.all(fewer.map((instance) => instance.stop(30_000)));
  for (const { ended } of fewer) expect(await ended).toBe('exit code 0');
}

async function lag(): Promise<GroupLag> {
  const [groupLag] = await readLag(kafka, [{ topic: trackTopic.name, group: 'tracking' }]);
  if (!groupLag) throw new Error('the lag is not known');
  return groupLag;
}

const secondsSince = (start: number): number => Math.round((performance.now() - start) / 100) / 10;

/** Asserts that everything is stored once, and prints the figures. */
async function expectBalance(name: string, startedAt: number): Promise<void> {
  const sent = load.acknowledgedCount(track);
  await eventually(async () => {
    expect((await ledgerBalance()).lost).toBe(0);
  }, 120_000);
  const seconds = secondsSince(startedAt);
  // Duplicates can be stored late.
  await sleep(3_000);
  const balance = await ledgerBalance();
  console.log(`${name}: ${JSON.stringify({ ...balance, seconds })}`);
  expect(balance).toEqual({ sent, stored: sent, unique: sent, lost: 0, doubled: 0 });
}
const ledgerBalance = () => bed.ledger.balance(load.ids(track));

/**
 * Changes the instances under load. Asserts that all become members, that the lag becomes small while the load goes on,
 * and that it becomes 0 when the load pauses.
 */
async function recovers(name: string, change: () => Promise<void>): Promise<void> {
  load.resume(rowsPerSecond / track.rowsPerSecond);
  await sleep(settleMs);
  let [maxLag, changedAt] = [0, Infinity];
  const changing = change().then(() => (changedAt = performance.now()));
  await eventually(async () => {
    const { members, messages } = await lag();
    maxLag = Math.max(maxLag, messages);
    expect(members).toBe(instances.length);
    // Wait a moment first: messages delayed by a rebalance appear after it.
    expect(performance.now() - changedAt).toBeGreaterThan(settleMs);
    expect(messages).toBeLessThan(underWay);
  }, 120_000);
  await changing;
  const underLoad = secondsSince(changedAt);
  await load.pause();
  const pausedAt = performance.now();
  await eventually(async () => {
    expect((await lag()).messages).toBe(0);
  }, 120_000);
  const atRest = secondsSince(pausedAt);
  console.log(`${name}: lag at most ${maxLag}, small at ${underLoad} s under load; 0 after ${atRest} s without`);
}

it('under load, 1 → 3 → 1 instances on 12 partitions recover from the lag, and nothing is lost or doubled', async () => {
  await scaleBy(1);
  const startedAt = performance.now();
  await recovers('1 instance', () => Promise.resolve());
  await recovers('3 instances', () => scaleBy(2));
  await recovers('1 instance again', () => scaleBy(-2));
  await expectBalance('1 → 3 → 1', startedAt);
  await scaleBy(-1);
}, 600_000);

/** Rows per second that `count` instances store from a backlog with slow INSERTs. */
async function drain(count: number): Promise<number> {
  await scaleBy(count, smallBlocks);
  await eventually(async () => {
    expect(await lag()).toMatchObject({ members: count, messages: 0 });
  }, 120_000);
  const target = load.acknowledgedCount(track) + backlogRows;
  const readCpu = async () => Promise.all(instances.map(({ pid }) => processCpuSeconds(pid)));
  const begunAt = performance.now();
  load.resume(backlogPerSecond / track.rowsPerSecond);
  while (load.acknowledgedCount(track) < target) await sleep(20);
  await load.pause();
  const [startedAt, cpuBefore, from] = [performance.now(), await readCpu(), await bed.ledger.count()];
  // The last tenth does not count: partial blocks wait for their maximal age, which is not throughput.
  const to = target - backlogRows / 10;
  while ((await bed.ledger.count()) < to) await sleep(100);
  const seconds = (performance.now() - startedAt) / 1_000;
  const perSecond = Math.round((to - from) / seconds);
  const cpu = (await readCpu()).map((now, i) => ((now - (cpuBefore[i] ?? 0)) / seconds).toFixed(2));
  console.log(`${count} behind slow INSERTs: ${perSecond} rows/s; each used ${cpu.join(', ')} of a core`);
  await expectBalance(`${count} behind slow INSERTs`, begunAt);
  await scaleBy(-count);
  return perSecond;
}

it('with slow INSERTs, three instances store more than one', async () => {
  bed.proxy.insertDelayMs = insertDelayMs;
  const rateOfOne = await drain(1);
  const three = await drain(3);
  console.log(`3 instances store ${(three / rateOfOne).toFixed(2)} times as much as 1`);
  expect(three / rateOfOne).toBeGreaterThan(1.5);
}, 600_000);
