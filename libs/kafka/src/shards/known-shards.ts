import { type Kafka } from '@sluice/kafkajs';
import { withAdmin } from '../connection/admin.js';
import { CompactedTopicFollower, writeCompacted } from '../follow/compacted-topic.js';
import { type Assigned } from '../logs/read-assigned.js';
import { type TopicPartition, type Placement } from '../protocol/block.js';
import { parseMapVersion } from '../protocol/committed.js';
import { type MapVersion, ShardMap } from './shard-map.js';
import { countRecord, shardsTopic, takeRecord } from './shard-records.js';

/** Follows the map of shards, and knows where each block belongs. */
export class KnownShards {
  private readonly follower: CompactedTopicFollower;
  private map = new ShardMap();
  /** Offset of the newest record that the map includes. */
  private takenTo = -1n;

  constructor(private readonly kafka: Kafka) {
    this.follower = new CompactedTopicFollower(kafka, shardsTopic, () => {
      const map = new ShardMap();
      return {
        take: (record, offset) => {
          if (map === this.map) this.takenTo = offset;
          takeRecord(map, record);
        },
        caughtUp: (offset) => {
          this.map = map;
          this.takenTo = offset;
        },
      };
    });
  }

  /** Begins to follow; the map is known when `upToDate` resolves. */
  follow(): void {
    this.follower.follow();
  }

  stop(): Promise<void> {
    return this.follower.stop();
  }

  get newest(): MapVersion | undefined {
    return this.map.newest;
  }

  /** The newest version. @throws while a record that is in Kafka now is unknown, or there is no map; retry. */
  async upToDate(): Promise<MapVersion> {
    const [log] = await withAdmin(this.kafka, (admin) => admin.fetchTopicOffsets(shardsTopic));
    if (!log || this.takenTo < BigInt(log.high) - 1n) throw new Error(`${shardsTopic} is not read to its end yet`);
    const { newest } = this.map;
    if (!newest) throw new Error('there is no map of shards yet: run operator migrate');
    return newest;
  }

  /**
   * Prepares for newly assigned partitions: makes sure that this process knows every version of the map that their
   * former owners knew, and records the topics' numbers of partitions. @throws while it cannot; retry.
   */
  async prepare(assigned: readonly Assigned[]): Promise<void> {
    const { version } = await this.upToDate();
    if (assigned.some(({ committed }) => parseMapVersion(committed) > version))
      throw new Error('the map of shards is too old');
    const counts = new Map(assigned.map(({ topic, partitions }) => [topic, partitions]));
    for (const [topic, partitions] of counts) {
      if (this.map.partitionCount(topic) === partitions) continue;
      await writeCompacted(this.kafka, shardsTopic, countRecord({ topic, partitions, at: Date.now() }));
    }
  }

  placement({ partition }: TopicPartition): Placement | undefined {
    const shard = this.map.shardFor(partition);
    return shard === undefined ? undefined : { shard, map: this.map.newest?.version ?? 0 };
  }

  /** The version of the map, and the number of these partitions that are stored on each shard. */
  describeState(places: readonly TopicPartition[]): { version: number; partitions: ReadonlyMap<string, number> } {
    const partitions = new Map((this.newest?.shards ?? []).map((shard) => [shard, 0]));
    for (const place of places) {
      const { shard } = this.placement(place) ?? {};
      if (shard !== undefined) partitions.set(shard, (partitions.get(shard) ?? 0) + 1);
    }
    return { version: this.newest?.version ?? 0, partitions };
  }

  /** The parts of a Block that say on which shards a handler stores it and looks for its rows. */
  shardsFor({ shard, ...place }: TopicPartition & { shard?: string | undefined }, partitions: number | undefined) {
    return {
      shard: shard ?? this.map.origin,
      mayLieOn: this.map.mayLieOn(place, partitions, Date.now()),
      allShards: this.map.newest?.shards ?? [],
    };
  }
}

/** Refuses partitions that were stored on shards, for a process without shards. @throws Error */
export function refuseShards(assigned: readonly Assigned[]): Promise<void> {
  const sharded = assigned.find(({ committed }) => parseMapVersion(committed) > 0);
  if (!sharded) return Promise.resolve();
  throw new Error(`${sharded.topic}:${sharded.partition} is stored on shards, but CLICKHOUSE_SHARDS is not set`);
}
