import { expect, it } from 'vitest';
import { ShardMap, shardWindowMs, shareOut } from './shard-map.js';

const day = 24 * 60 * 60_000;
const start = Date.UTC(2026, 0, 1);
const topic = 'tracking.track.v1';
const partitions = Array.from({ length: 12 }, (_, i) => i);

/** A map after a list of changes, each a list of shards and a day. */
function mapAfter(changes: readonly (readonly [string[], number])[], origin?: string): ShardMap {
  const map = new ShardMap();
  for (const [shards, days] of changes) {
    const next = map.next(shards, [], start + days * day, origin);
    if (next) map.takeVersion(next);
  }
  return map;
}

const listShards = (map: ShardMap): (string | undefined)[] => partitions.map((partition) => map.shardFor(partition));
const countEqual = (list: readonly unknown[], value: unknown): number =>
  list.filter((candidate) => candidate === value).length;

it('shares the partitions of every topic out evenly', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  for (let count = 1; count <= names.length; count++) {
    const slots = shareOut([], names.slice(0, count));
    for (let length = 1; length <= slots.length; length++) {
      const shares = names.slice(0, count).map((name) => countEqual(slots.slice(0, length), name));
      expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
    }
  }
});

it('moves only the partitions that the new shard gets, and the shares stay even', () => {
  let slots = shareOut([], ['a']);
  for (const names of [
    ['a', 'b'],
    ['a', 'b', 'c'],
    ['a', 'b', 'c', 'd'],
  ]) {
    const next = shareOut(slots, names);
    const moved = next.filter((shard, i) => shard !== slots[i]);
    expect(new Set(moved)).toEqual(new Set([names.at(-1)]));
    for (const name of names) expect(countEqual(next.slice(0, 12), name)).toBe(12 / names.length);
    slots = next;
  }
});

it('gives the partitions of a drained shard to the others, and moves at most two others', () => {
  const map = mapAfter([[['a', 'b', 'c'], 0]]);
  const before = listShards(map);
  const next = map.next(['a', 'b', 'c'], ['b'], start + day);
  if (next) map.takeVersion(next);
  const after = listShards(map);
  expect(countEqual(after, 'b')).toBe(0);
  expect(Math.abs(countEqual(after, 'a') - countEqual(after, 'c'))).toBeLessThanOrEqual(1);
  expect(after.filter((shard, i) => shard !== before[i] && before[i] !== 'b').length).toBeLessThanOrEqual(2);
  expect(map.newest?.shards).toEqual(['a', 'b', 'c']);
});

it('plans nothing when nothing changes, in whatever order the shards are named', () => {
  const map = mapAfter([[['a', 'b'], 0]]);
  expect(map.next(['b', 'a'], [], start)).toBeUndefined();
});

it('keeps the first of two versions that were written at once', () => {
  const map = new ShardMap();
  const [first, second] = [map.next(['a', 'b'], [], start), map.next(['a', 'c'], [], start)];
  if (first) map.takeVersion(first);
  if (second) map.takeVersion(second);
  expect(map.newest?.shards).toEqual(['a', 'b']);
});

it('looks for the messages of a moved partition on its earlier shard, for the window and no longer', () => {
  const map = mapAfter([
    [['a'], 0],
    [['a', 'b'], 100],
  ]);
  const moved = partitions.find((partition) => map.shardFor(partition) === 'b') ?? -1;
  const stayed = partitions.find((partition) => map.shardFor(partition) === 'a') ?? -1;
  const changedAt = start + 100 * day;
  expect(map.mayLieOn({ topic, partition: moved }, 12, changedAt).sort()).toEqual(['a', 'b']);
  expect(map.mayLieOn({ topic, partition: moved }, 12, changedAt + shardWindowMs - 1).sort()).toEqual(['a', 'b']);
  expect(map.mayLieOn({ topic, partition: moved }, 12, changedAt + shardWindowMs)).toEqual(['b']);
  expect(map.mayLieOn({ topic, partition: stayed }, 12, changedAt)).toEqual(['a']);
});

it('looks for earlier messages on the one server that there was before', () => {
  const map = mapAfter([[['b', 'a'], 0]], 'a');
  for (const partition of partitions) {
    expect(map.mayLieOn({ topic, partition }, 12, start + day)).toContain('a');
    expect(map.mayLieOn({ topic, partition }, 12, start + shardWindowMs)).toEqual([map.shardFor(partition)]);
  }
  expect(map.origin).toBe('a');
  const fresh = mapAfter([[['a', 'b'], 0]]);
  for (const partition of partitions) {
    expect(fresh.mayLieOn({ topic, partition }, 12, start + day)).toEqual([fresh.shardFor(partition)]);
  }
});

it('knows until when a shard that was drained must stay', () => {
  const map = mapAfter([[['a', 'b'], 0]], 'c');
  const drained = map.next(['a', 'b'], ['b'], start + 5 * day);
  if (drained) map.takeVersion(drained);
  expect(map.inUseUntil('a')).toBe(Infinity);
  expect(map.inUseUntil('b')).toBe(start + 5 * day + shardWindowMs);
  expect(map.inUseUntil('c')).toBe(start + shardWindowMs);
  expect(map.inUseUntil('d')).toBe(0);
});

it('looks for copies on all shards while the number of partitions has changed lately, or is not noted yet', () => {
  const map = mapAfter([[['a', 'b'], 0]]);
  const place = { topic, partition: 0 };
  const ownShard = [map.shardFor(0)];
  map.takeCount({ topic, partitions: 12, at: start });
  expect(map.mayLieOn(place, 12, start + day)).toEqual(ownShard);
  expect(map.mayLieOn(place, 24, start + day).sort()).toEqual(['a', 'b']);
  map.takeCount({ topic, partitions: 24, at: start + 2 * day });
  expect(map.mayLieOn(place, 24, start + 3 * day).sort()).toEqual(['a', 'b']);
  expect(map.mayLieOn({ topic: 'other', partition: 0 }, 24, start + 3 * day)).toEqual(ownShard);
  expect(map.mayLieOn(place, 24, start + 2 * day + shardWindowMs)).toEqual(ownShard);
});
