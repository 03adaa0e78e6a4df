import { type ClickHouseClient } from '@clickhouse/client';
import { type RowBlock } from './encode-rows.js';

const refillTimeoutSeconds = 110;

/**
 * Has the target of a materialized view take again what its source table holds of a block: ClickHouse that died between
 * the two has filled the table alone. Only for targets whose engine merges copies of a row, and views that select
 * `kafka_partition`, `kafka_offset` and `kafka_timestamp`.
 * @throws when ClickHouse does not answer, or has no such view.
 */
export async function refillView(
  client: ClickHouseClient,
  view: string,
  target: string,
  block: RowBlock,
): Promise<void> {
  const [first, last] = [block.rows[0], block.rows.at(-1)];
  if (!first || !last) return;
  const result = await client.query({
    query: `SELECT as_select FROM system.tables WHERE database = currentDatabase() AND name = {view:String}`,
    query_params: { view },
    format: 'JSONEachRow',
  });
  const [found] = await result.json<{ as_select: string }>();
  if (!found) throw new Error(`there is no view ${view}`);
  await client.command({
    query: `INSERT INTO ${target} SELECT * FROM (${found.as_select})
      WHERE kafka_partition = ${block.partition} AND kafka_offset BETWEEN ${first.offset} AND ${last.offset}`,
    clickhouse_settings: {
      // Its copies merge; a token would have to know how ClickHouse cuts the SELECT.
      insert_deduplicate: 0,
      max_execution_time: refillTimeoutSeconds,
      select_sequential_consistency: '1',
    },
  });
}
