import { type ClickHouseClient } from '@clickhouse/client';
import { type RowBlock } from './encode-rows.js';
import { onSyncedReplica } from './look-up.js';

const refillTimeoutSeconds = 110;

/** A materialized view, the table that it reads and the one that it fills. */
export interface FilledView {
  readonly source: string;
  readonly name: string;
  readonly target: string;
  readonly isOnCluster: boolean;
}

/**
 * Has the target of a materialized view take again what its source table holds of a block: ClickHouse that died between
 * the two has filled the table alone. Only for targets whose engine merges copies of a row, and views that select
 * `kafka_partition`, `kafka_offset` and `kafka_timestamp`.
 * On a cluster a replica that is behind could miss some of the block: one that has fetched all of the source table does it.
 * Another that did it as well does no harm.
 * @throws when ClickHouse does not answer, or has no such view.
 */
export async function refillView(
  client: ClickHouseClient,
  { source, name, target, isOnCluster }: FilledView,
  block: RowBlock,
): Promise<void> {
  const [first, last] = [block.rows[0], block.rows.at(-1)];
  if (!first || !last) return;
  const result = await client.query({
    query: `SELECT as_select FROM system.tables WHERE database = currentDatabase() AND name = {name:String}`,
    query_params: { name },
    format: 'JSONEachRow',
  });
  const [found] = await result.json<{ as_select: string }>();
  if (!found) throw new Error(`there is no view ${name}`);
  const refill = () =>
    client.command({
      query: `INSERT INTO ${target} SELECT * FROM (${found.as_select})
      WHERE kafka_partition = ${block.partition} AND kafka_offset BETWEEN ${first.offset} AND ${last.offset}`,
      clickhouse_settings: {
        // Its copies merge; a token would have to know how ClickHouse cuts the SELECT.
        insert_deduplicate: 0,
        max_execution_time: refillTimeoutSeconds,
        select_sequential_consistency: '1',
      },
    });
  await (isOnCluster ? onSyncedReplica(client, source, refill) : refill());
}
