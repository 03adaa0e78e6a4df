import { eventually } from '@sluice/testing';
import { expect } from 'vitest';
import { type ShardBed } from './shard-bed.js';
import { type StreamLoad } from '../load/stream-load.js';

/** Waits until every acknowledged message is stored, and asserts that each is stored once over all shards. */
export async function untilStored(bed: ShardBed, load: StreamLoad): Promise<void> {
  const once = { lost: 0, doubled: 0 };
  await eventually(async () => {
    for (const [table, balance] of Object.entries(await bed.balances(load))) expect(balance, table).toEqual(once);
  }, 120_000);
}
