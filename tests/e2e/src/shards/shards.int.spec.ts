import { eventually } from '@sluice/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { differingViews } from './every-view.js';
import { ShardBed } from './shard-bed.js';
import { type StreamLoad } from '../load/stream-load.js';
import { createShardLoad, shardSource } from './shard-streams.js';
import { untilStored } from './until-stored.js';

// The short version of shards.faults.ts. Runs the built services (npm run build) with servers of its own.

let bed: ShardBed;
let load: StreamLoad;
beforeEach(async () => {
  bed = await ShardBed.start();
  load = createShardLoad(bed.kafka.brokers);
});
afterEach(async () => {
  await load.stop();
  await bed.stop();
});

it('one server becomes two shards under load, through kills of a consumer and of a shard: each message once', async () => {
  await bed.prepare('a');
  await bed.migrate();
  await bed.consume();
  await load.start();
  load.resume(0.8);
  await sleep(1_500);
  // The intent of a block under way stays open after a crash, on the server that it was begun for.
  await bed.stopConsumers(0);

  await bed.servers.add();
  await bed.servers.announceAll();
  bed.isSharded = true;
  await bed.prepare('b');
  // Until Kafka has noticed that the consumer is gone, `migrate` refuses.
  const { mapChange } = await eventually(() => bed.migrate(), 90_000);
  expect(mapChange).toMatchObject({ fill: ['b'], mustRest: true });

  await bed.consume();
  await bed.servers.kill('b');
  load.repeatSome();
  await sleep(1_000);
  await bed.servers.restart('b');
  await load.stop();

  await untilStored(bed, load);
  const shares = await bed.shares();
  expect(shares['b']).toBeGreaterThan(100);
  expect(await differingViews(bed.servers, shardSource)).toEqual([]);

  const { checks } = JSON.parse(await bed.operator('doctor', '--json')) as { checks: { verdict: string }[] };
  expect(checks.filter(({ verdict }) => verdict === 'unknown' || verdict === 'fails')).toEqual([]);
}, 240_000);
