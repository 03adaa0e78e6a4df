import {
  fillShard,
  hasRows,
  knownShards,
  MigrationError,
  type MigrationPlan,
  type ShardUrls,
  type TableConfig,
} from '@sluice/clickhouse';
import { busyGroups, type Kafka, type MapVersion, readShardMap, writeVersion } from '@sluice/kafka';
import { destinations } from '../destinations.js';
import { OperationError } from '../operation-error.js';

/** A change of the map of shards, and the conditions for it. */
export interface MapChange {
  readonly version: MapVersion;
  /** Shards that get a copy of the tables that every shard has, from the shard `from`. */
  readonly fill: readonly string[];
  readonly from: string | undefined;
  /** Number of partitions by shard, for a topic with twelve, before and after. */
  readonly before: Readonly<Record<string, number>>;
  readonly after: Readonly<Record<string, number>>;
  /** True if no consumer may run during the change. */
  readonly mustRest: boolean;
}

type ShardConfig = TableConfig & { readonly CLICKHOUSE_SHARDS_DRAINED?: readonly string[] };

/**
 * The change that makes the map fit CLICKHOUSE_SHARDS; undefined if it fits already, or there is one server.
 * @throws OperationError when a shard may not be removed yet.
 */
export async function planMap(
  config: ShardConfig,
  kafka: Kafka,
  tables: MigrationPlan['tables'],
): Promise<MapChange | undefined> {
  const { CLICKHOUSE_SHARDS: shards, CLICKHOUSE_SHARDS_DRAINED: drained = [] } = config;
  const map = await readShardMap(kafka);
  if (!shards) {
    if (map.newest) throw new OperationError('CLICKHOUSE_SHARDS is not set, but there is a map of shards');
    return undefined;
  }
  const moves = tables.filter(({ what: change }) => change.includes('in place'));
  const origin = map.newest ? undefined : await findOrigin(config, shards, moves.length > 0);
  const now = Date.now();
  const names = [...shards.keys()];
  const removedShard = (map.newest?.shards ?? []).find((name) => !shards.has(name) && map.inUseUntil(name) > now);
  if (removedShard !== undefined) throw new OperationError(reasonToStay(removedShard, map.inUseUntil(removedShard)));
  const version = map.next(names, drained, now, origin);
  if (!version) return undefined;
  const earlierShards = map.newest?.shards ?? (origin === undefined ? names : [origin]);
  const fill = names.filter((name) => !earlierShards.includes(name));
  return {
    version,
    fill,
    from: earlierShards.find((name) => shards.has(name)),
    before: countSlots(map.newest?.slots ?? (origin === undefined ? [] : Array.from({ length: 12 }, () => origin))),
    after: countSlots(version.slots),
    mustRest: fill.length > 0 || moves.length > 0,
  };
}

/** @throws OperationError while a consumer runs that would store rows during the change. */
export async function requireConsumersStopped(kafka: Kafka, change: MapChange | undefined): Promise<void> {
  if (!change?.mustRest) return;
  const busy = await busyGroups(kafka, [...new Set(destinations.map(({ group }) => group))]);
  if (busy.length > 0) {
    throw new OperationError(`stop the consumers first (${busy.join(', ')}): gateways go on, messages wait in Kafka`);
  }
}

/** Makes a planned change, once the tables are there. Safe to repeat after a failure. */
export async function changeMap(config: ShardConfig, kafka: Kafka, change: MapChange): Promise<void> {
  const { CLICKHOUSE_SHARDS: shards } = config;
  if (!shards) return;
  for (const [name, CLICKHOUSE_URL] of shards) {
    const shardCount = await knownShards({ ...config, CLICKHOUSE_URL });
    if (shardCount === shards.size) continue;
    const text = `shard ${name} reads ${shardCount} shards, not ${shards.size}: change remote_servers there, then migrate again`;
    throw new MigrationError(text);
  }
  const from = shards.get(change.from ?? '');
  for (const name of change.fill) {
    const to = shards.get(name);
    if (from !== undefined && to !== undefined) await fillShard(config, from, to);
  }
  const wasWritten = await writeVersion(kafka, change.version);
  if (!wasWritten) throw new OperationError('someone else changed the map of shards at the same time: migrate again');
}

/** Reason why a shard may not be left out yet. */
function reasonToStay(shard: string, until: number): string {
  if (until === Infinity) return `shard ${shard} stores events: drain it first (CLICKHOUSE_SHARDS_DRAINED)`;
  return `shard ${shard} may hold rows that are looked up until ${new Date(until).toISOString()}`;
}

/** The shard that was the only server before; undefined when nothing was stored yet. */
async function findOrigin(config: ShardConfig, shards: ShardUrls, isMoved: boolean): Promise<string | undefined> {
  const [firstShard, ...otherShards] = shards;
  for (const [name, CLICKHOUSE_URL] of otherShards) {
    const isFull = await hasRows({ ...config, CLICKHOUSE_URL }, { sharded: true });
    if (isFull) throw new OperationError(`shard ${name} has rows: name the server that had them all first`);
  }
  if (!firstShard) return undefined;
  return isMoved || (await hasRows({ ...config, CLICKHOUSE_URL: firstShard[1] })) ? firstShard[0] : undefined;
}

function countSlots(slots: readonly string[]): Record<string, number> {
  const shares: Record<string, number> = {};
  for (const shard of slots.slice(0, 12)) shares[shard] = (shares[shard] ?? 0) + 1;
  return shares;
}
