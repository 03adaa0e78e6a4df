import { type ClickHouseClient } from '@clickhouse/client';
import { type RowBlock } from '../rows/encode-rows.js';
import { ignoringViews } from '../rows/insert-settings.js';
import { onSyncedReplica } from '../look-up/look-up.js';

const refillTimeoutSeconds = 110;

/** A materialized view, the table that it reads and the one that it fills. */
export interface FilledView {
  readonly source: string;
  readonly name: string;
  readonly target: string;
  readonly isOnCluster: boolean;
}

/**
 * Copies the rows of a block again from the source table of a materialized view into its target. A crash of ClickHouse
 * between the two writes leaves the rows in the source table only. The target's engine must merge copies of a row, and
 * the view must select `kafka_partition`, `kafka_offset` and `kafka_timestamp`.
 * On a cluster, a replica that has fetched all of the source table does it, because one that lags could miss rows. A
 * refill by a second replica changes nothing.
 * @throws when ClickHouse does not answer or refuses, or has no such view.
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
  const [view] = await result.json<{ as_select: string }>();
  if (!view) throw new Error(`there is no view ${name}`);
  const refill = () =>
    client.command({
      query: `INSERT INTO ${target} SELECT * FROM (${view.as_select})
      WHERE kafka_partition = ${block.partition} AND kafka_offset BETWEEN ${first.offset} AND ${last.offset}`,
      clickhouse_settings: {
        // Copies merge in the target. A token would not help: ClickHouse decides how it cuts the SELECT into blocks.
        insert_deduplicate: 0,
        deduplicate_insert: 'disable',
        deduplicate_insert_select: 'disable',
        // The targets have no views of ours, and a view of others must not stop the rows.
        ...ignoringViews,
        max_execution_time: refillTimeoutSeconds,
        select_sequential_consistency: '1',
      },
    });
  await (isOnCluster ? onSyncedReplica(client, source, refill) : refill());
}
