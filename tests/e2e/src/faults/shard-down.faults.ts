import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, type ServerProcess, signalGroup } from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ConsumerView } from '../shards/consumer-view.js';
import { ShardBed } from '../shards/shard-bed.js';
import { type StreamLoad } from '../load/stream-load.js';
import { createShardLoad, shardEvents, shardIdentifies } from '../shards/shard-streams.js';
import { untilStored } from '../shards/until-stored.js';

// One of two shards hangs, dies and comes back under load. Runs the built tracking service (npm run build).

const perSecond = 1_000;
const backlog = 400_000;
const windowMs = 20_000;
/** Limit of a's waits, in seconds: longer than a block takes on a busy machine, shorter than a window, b's wait. */
const maxWait = 10;

let bed: ShardBed;
let load: StreamLoad;
let tracking: ServerProcess;
let view: ConsumerView;
/** Partitions of events by their shard. */
let partitions: Record<'a' | 'b', number[]>;
const before = { perSecond: 0, drain: 0 };

beforeAll(async () => {
  bed = await ShardBed.start();
  await bed.servers.add();
  await bed.servers.announceAll();
  bed.isSharded = true;
  for (const name of bed.servers.names) await bed.prepare(name);
  await bed.migrate();
  // Long enough for the service to keep its partitions through the pause in `drainRate`.
  tracking = await bed.consume('', { settings: { KAFKA_SESSION_TIMEOUT_MS: '60000' } });
  view = new ConsumerView(tracking);
  load = createShardLoad(bed.kafka.brokers);
  await load.start();
  load.resume(perSecond / 1_000);
  partitions = await eventually(async () => {
    const partitionNumbers = { a: await partitionsOn('a'), b: await partitionsOn('b') };
    expect([...partitionNumbers.a, ...partitionNumbers.b]).toHaveLength(6);
    return partitionNumbers;
  }, 90_000);
}, 180_000);
afterAll(async () => {
  await load.stop();
  await bed.stop();
}, 120_000);

async function partitionsOn(shard: string): Promise<number[]> {
  const query = 'SELECT DISTINCT kafka_partition AS one FROM sluice_shard.events ORDER BY one';
  return (await bed.servers.select<{ one: number }>(shard, query)).map(({ one }) => one);
}

async function storedOn(shard: string): Promise<number> {
  const [row] = await bed.servers.select<{ n: string }>(shard, 'SELECT count() AS n FROM sluice_shard.events');
  return Number(row?.n);
}

/** Rows per second that shard a stores under the steady load, and the longest wait of a message of its partitions. */
async function steady(): Promise<{ perSecond: number; maxWait: number }> {
  const [startedAt, stored] = [performance.now(), await storedOn('a')];
  let longest = 0;
  while (performance.now() - startedAt < windowMs) {
    longest = Math.max(longest, await view.waitsSeconds(partitions.a));
    await sleep(200);
  }
  return { perSecond: (1_000 * ((await storedOn('a')) - stored)) / (performance.now() - startedAt), maxWait: longest };
}

/** Rows per second that shard a stores from a backlog over all partitions, while the load pauses. */
async function drainRate(): Promise<number> {
  await load.pause();
  signalGroup(tracking.pid, 'SIGSTOP');
  await load.burst(shardEvents, backlog);
  const stored = await storedOn('a');
  signalGroup(tracking.pid, 'SIGCONT');
  const startedAt = performance.now();
  let last = { stored, at: startedAt };
  while (performance.now() - last.at < 10_000) {
    await sleep(100);
    const now = await storedOn('a');
    if (now > last.stored) last = { stored: now, at: performance.now() };
  }
  // Persons are spread almost evenly over the six partitions.
  expect(last.stored - stored).toBeGreaterThan(backlog * 0.4);
  load.resume(perSecond / 1_000);
  return (1_000 * (last.stored - stored)) / (last.at - startedAt);
}

/** Expects that exactly b's partitions of events are reported as stuck, and that a's are as fast as before. */
async function expectOnlyBWaits(reason: RegExp): Promise<void> {
  const during = await steady();
  const stuck = await view.stuckEvents();
  console.log({ ...during, ratio: during.perSecond / before.perSecond, ...stuck });
  expect(stuck.partitions).toEqual(partitions.b);
  for (const stuckReason of stuck.reasons) expect(stuckReason).toMatch(reason);
  expect(during.perSecond / before.perSecond).toBeGreaterThan(0.9);
  expect(during.maxWait).toBeLessThan(maxWait);
  expect(await view.health()).toMatch(/"clickhouse":\{[^}]*"reason":"b \w+"/);
  const status = await bed.operator('status', '--consumer', view.metricsUrl);
  for (const partition of partitions.b) expect(status).toContain(`tracking.track.v1:${partition}`);
}

const countByQuery = (settings = ''): Promise<{ n: string }[]> =>
  bed.servers.select<{ n: string }>('a', `SELECT count() AS n FROM events ${settings}`);

it('measures both shards', async () => {
  await sleep(3_000);
  const { perSecond: rate, maxWait: wait } = await steady();
  before.perSecond = rate;
  expect(wait).toBeLessThan(maxWait);
  await drainRate();
  await untilDrained();
  before.drain = await drainRate();
  await untilDrained();
  console.log(before);
}, 300_000);

async function untilDrained(): Promise<void> {
  await eventually(async () => {
    expect(await view.waitsSeconds([...partitions.a, ...partitions.b])).toBeLessThan(maxWait);
  }, 90_000);
}

it('while a shard hangs, its partitions wait and the others go on at full speed', async () => {
  bed.servers.freeze('b');
  await sleep(12_000);
  await expectOnlyBWaits(/^block no_answer$|^turn no_answer$/);
  const rateWithFault = await drainRate();
  console.log({ drainOfAWhileBHangs: rateWithFault, ratio: rateWithFault / before.drain });
  expect(rateWithFault / before.drain).toBeGreaterThan(0.8);
  const askedAt = performance.now();
  await expect(countByQuery()).rejects.toThrow();
  console.log(`a query of all shards fails after ${Math.round((performance.now() - askedAt) / 1_000)} s`);
}, 300_000);

it('while a shard is dead, only partial reads succeed, and the failures name the shard', async () => {
  await bed.servers.kill('b');
  await sleep(3_000);
  await expectOnlyBWaits(/^block (ECONNREFUSED|ECONNRESET) b$/);
  const failures = await view.series('sluice_clickhouse_insert_failures_total');
  expect(new Set(failures.map(({ labels }) => labels['shard']))).toEqual(new Set(['b']));
  await expect(countByQuery()).rejects.toThrow(/ALL_CONNECTION_TRIES_FAILED|Connection refused/);
  const [partial] = await countByQuery('SETTINGS skip_unavailable_shards = 1');
  expect(Number(partial?.n)).toBeGreaterThan(0);
}, 300_000);

it('when the shard is back, every acknowledged message is stored once', async () => {
  load.repeatSome();
  await bed.servers.restart('b');
  load.repeatSome();
  await sleep(5_000);
  await load.stop();
  await untilStored(bed, load);
  console.log({
    events: load.acknowledgedCount(shardEvents),
    identifies: load.acknowledgedCount(shardIdentifies),
    shares: await bed.shares(),
  });
}, 300_000);
