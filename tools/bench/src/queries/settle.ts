import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouseClient } from '@clickhouse/client';
import { select } from '../events-table.js';
import { progress } from '../progress.js';

const tables = ['events', 'ad_requests'];
const pollMs = 1_000;

/**
 * Brings the tables into the state they have in use: the weeks before this one are one part each, as ClickHouse makes
 * them six hours after the last row; this week is as its merges leave it.
 */
export async function settle(client: ClickHouseClient): Promise<void> {
  progress('  the weeks before this one become one part each');
  const left = (await pastWeeks(client)).values();
  const mergeAll = async () => {
    for (const { table, partition } of left) {
      await client.command({
        query: `OPTIMIZE TABLE ${table} PARTITION '${partition}' FINAL SETTINGS optimize_skip_merged_partitions = 1`,
        clickhouse_settings: { max_execution_time: 0 },
      });
    }
  };
  await Promise.all([mergeAll(), mergeAll()]);
  while ((await select(client, 'SELECT 1 FROM system.merges')).length > 0) await sleep(pollMs);
}

const pastWeeks = (client: ClickHouseClient): Promise<{ table: string; partition: string }[]> =>
  select(
    client,
    `SELECT DISTINCT table, partition FROM system.parts
     WHERE active AND database = currentDatabase() AND table IN ('${tables.join("', '")}')
       AND toDate(partition) < toMonday(today()) ORDER BY table, partition`,
  );
