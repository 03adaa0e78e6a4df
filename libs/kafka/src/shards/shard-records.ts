import { withTopicPrefix } from '@sluice/contracts';
import { randomUUID } from 'node:crypto';
import { type CompactedRecord } from '../follow/compacted-record.js';
import { type MapVersion, type PartitionCount, type ShardMap } from './shard-map.js';

/** The compacted topic with all versions of the map of shards and the numbers of partitions. Nothing in it is replaced. */
export const shardsTopic = withTopicPrefix('shards.v1');

/** Each record has a key of its own: compaction keeps all, and the first of several of one version counts. */
export const versionRecord = (version: MapVersion): CompactedRecord => ({
  key: `map:${version.version}:${randomUUID()}`,
  value: Buffer.from(JSON.stringify(version)),
});

export const countRecord = (count: PartitionCount): CompactedRecord => ({
  key: `partitions:${count.topic}:${count.partitions}:${count.at}`,
  value: Buffer.from(JSON.stringify(count)),
});

/** Takes a record into the map. @throws when it is not one of these. */
export function takeRecord(map: ShardMap, { key, value }: CompactedRecord): void {
  const content = JSON.parse(value?.toString() ?? 'null') as Record<string, unknown> | null;
  if (key.startsWith('map:') && isVersion(content)) map.takeVersion(content);
  else if (key.startsWith('partitions:') && isCount(content)) map.takeCount(content);
  else throw new TypeError('not a record of the map of shards');
}

const isNumber = (value: unknown): boolean => Number.isSafeInteger(value);
const areNames = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string');

function isVersion(content: unknown): content is MapVersion {
  const { version, at, shards, slots, origin } = (content ?? {}) as Record<keyof MapVersion, unknown>;
  const isOrigin = origin === undefined || typeof origin === 'string';
  return isNumber(version) && isNumber(at) && areNames(shards) && areNames(slots) && isOrigin;
}

function isCount(content: unknown): content is PartitionCount {
  const { topic, partitions, at } = (content ?? {}) as Record<keyof PartitionCount, unknown>;
  return typeof topic === 'string' && isNumber(partitions) && isNumber(at);
}
