import { eventually } from '@sluice/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { differingViews } from '../shards/every-view.js';
import { ShardBed } from '../shards/shard-bed.js';
import { type StreamLoad } from '../load/stream-load.js';
import { createShardLoad, shardEvents, shardIdentifies, shardSource } from '../shards/shard-streams.js';
import { untilStored } from '../shards/until-stored.js';

const points = ['after-intent:2', 'after-insert:3', 'after-dead-letters:2'];

// One story: each test goes on where the one before ended, under load.
let bed: ShardBed;
let load: StreamLoad;
beforeAll(async () => {
  bed = await ShardBed.start();
  load = createShardLoad(bed.kafka.brokers);
  await bed.prepare('a');
  await bed.migrate();
  await bed.consume();
  await load.start();
  load.resume();
}, 120_000);
afterAll(async () => {
  await load.stop();
  await bed.stop();
}, 120_000);

/** Adds a server as a shard: the consumers stop while it gets its copies, and the load goes on. */
async function addShard(): Promise<void> {
  await bed.stopConsumers();
  const name = await bed.servers.add();
  await bed.servers.announceAll();
  bed.isSharded = true;
  await bed.prepare(name);
  await eventually(() => bed.migrate(), 90_000);
}

async function killConsumers(): Promise<void> {
  for (const point of points) {
    const doomed = await bed.consume(point);
    expect(await Promise.race([doomed.ended, sleep(60_000, 'alive')])).toBe('SIGKILL');
  }
}

it('one server becomes two shards while messages arrive', async () => {
  await sleep(5_000);
  const before = load.acknowledgedCount(shardEvents);
  await bed.servers.add();
  await bed.servers.announceAll();
  bed.isSharded = true;
  await bed.prepare('b');
  expect((await bed.migrate('--plan')).mapChange).toMatchObject({ fill: ['b'], after: { a: 6, b: 6 } });
  await expect(bed.migrate()).rejects.toThrow('stop the consumers first (tracking)');
  await bed.stopConsumers();
  expect(await bed.migrate()).toMatchObject({ mapChange: { fill: ['b'] } });
  expect(await bed.migrate('--plan')).not.toHaveProperty('mapChange');
  await bed.consume();
  await eventually(async () => {
    expect((await bed.shares())['b']).toBeGreaterThan(1_000);
  }, 90_000);
  expect(load.acknowledgedCount(shardEvents)).toBeGreaterThan(before);
}, 240_000);

it('consumers are killed at the worst moments, and both shards too', async () => {
  await bed.consume();
  await killConsumers();
  for (const shard of ['b', 'a']) {
    await bed.servers.kill(shard);
    load.repeatSome();
    await sleep(3_000);
    await bed.servers.restart(shard);
    await sleep(3_000);
  }
}, 240_000);

it('a third shard is added while messages arrive', async () => {
  await addShard();
  load.repeatSome();
  await bed.consume();
  await killConsumers();
  await bed.consume();
  await eventually(async () => {
    expect((await bed.shares())['c']).toBeGreaterThan(1_000);
  }, 90_000);
}, 240_000);

it('every acknowledged message is stored once, and every view answers as one server does', async () => {
  await load.stop();
  await untilStored(bed, load);
  expect(await differingViews(bed.servers, shardSource)).toEqual([]);
  console.log({
    events: load.acknowledgedCount(shardEvents),
    identifies: load.acknowledgedCount(shardIdentifies),
    shares: await bed.shares(),
  });
}, 240_000);
