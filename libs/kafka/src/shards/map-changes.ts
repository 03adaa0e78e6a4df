import { type Kafka } from '@sluice/kafkajs';
import { withAdmin } from '../connection/admin.js';
import { CompactedTopicFollower, writeCompacted } from '../follow/compacted-topic.js';
import { type MapVersion, ShardMap } from './shard-map.js';
import { versionRecord, shardsTopic, takeRecord } from './shard-records.js';

/** The map of shards as it is now; one without versions when there is no topic. */
export async function readShardMap(kafka: Kafka): Promise<ShardMap> {
  const map = new ShardMap();
  const topics = await withAdmin(kafka, (admin) => admin.listTopics());
  if (!topics.includes(shardsTopic)) return map;
  const follower = new CompactedTopicFollower(kafka, shardsTopic, () => ({
    take: (record) => takeRecord(map, record),
    caughtUp: () => undefined,
  }));
  try {
    await follower.start();
  } finally {
    await follower.stop();
  }
  return map;
}

/** Writes a version that `ShardMap.next` has made. False when another process wrote another one first. */
export async function writeVersion(kafka: Kafka, version: MapVersion): Promise<boolean> {
  await writeCompacted(kafka, shardsTopic, versionRecord(version));
  const { newest } = await readShardMap(kafka);
  return newest?.version === version.version && newest.at === version.at;
}

/** The groups that have members, which are processes that store blocks now. */
export function busyGroups(kafka: Kafka, groups: readonly string[]): Promise<string[]> {
  return withAdmin(kafka, async (admin) => {
    const described = await admin.describeGroups([...groups]);
    return described.groups.filter(({ members }) => members.length > 0).map(({ groupId }) => groupId);
  });
}
