import { type Starting, whenAvailable } from '@sluice/service';
import { type Kafka } from '@sluice/kafkajs';
import { KnownShards } from './known-shards.js';

/**
 * Follows the map of shards where the configuration names shards; undefined where ClickHouse is one server. Call it
 * before the tables are prepared: it waits until there is a map, which `operator migrate` writes.
 */
export async function followShards(
  starting: Starting,
  { CLICKHOUSE_SHARDS }: { readonly CLICKHOUSE_SHARDS?: ReadonlyMap<string, string> | undefined },
  kafka: Kafka,
): Promise<KnownShards | undefined> {
  if (!CLICKHOUSE_SHARDS) return undefined;
  const shards = new KnownShards(kafka);
  shards.follow();
  await whenAvailable(starting, 'kafka', () => shards.upToDate());
  return shards;
}
