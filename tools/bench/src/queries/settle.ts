import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';
import { selectRows } from '../events-table.js';
import { progress } from '../progress.js';

const tables = ['events', 'ad_requests'];
const limits = ['max_bytes_to_merge_at_max_space_in_pool', 'max_bytes_to_merge_at_min_space_in_pool'];
const pollMs = 1_000;
const restMs = 5_000;

/** Prevents merges until `settle`: each row is then merged once, and only two merges share the server's memory. */
export async function holdMerges(client: ClickHouseClient): Promise<void> {
  const settings = limits.map((limit) => `${limit} = 1`).join(', ');
  for (const table of tables) await client.command({ query: `ALTER TABLE ${table} MODIFY SETTING ${settings}` });
}

/**
 * Brings the tables into the state they have in production. Each past week is one part, which ClickHouse achieves six
 * hours after the last row; the current week is left to ordinary merges.
 */
export async function settle(client: ClickHouseClient): Promise<void> {
  progress('  the weeks before this one become one part each');
  const openWeeks = (await pastWeeks(client)).values();
  const tooLarge: Week[] = [];
  const mergeAll = async () => {
    for (const week of openWeeks) {
      await merge(client, week).catch((error: unknown) => {
        if (!(error instanceof ClickHouseError) || error.type !== 'MEMORY_LIMIT_EXCEEDED') throw error;
        tooLarge.push(week);
      });
    }
  };
  await Promise.all([mergeAll(), mergeAll()]);
  for (const week of tooLarge) await merge(client, week); // alone, with all of the server's memory
  for (const table of tables)
    await client.command({ query: `ALTER TABLE ${table} RESET SETTING ${limits.join(', ')}` });
  await client.command({ query: 'SYSTEM START MERGES' }); // makes ClickHouse look for merges at once
  await untilAtRest(client);
}

async function merge(client: ClickHouseClient, { table, partition }: Week): Promise<void> {
  await client.command({
    query: `OPTIMIZE TABLE ${table} PARTITION '${partition}' FINAL SETTINGS optimize_skip_merged_partitions = 1`,
    clickhouse_settings: { max_execution_time: 0 },
  });
}

async function untilAtRest(client: ClickHouseClient): Promise<void> {
  for (let restsFor = 0; restsFor < restMs; restsFor += pollMs) {
    await sleep(pollMs);
    if ((await selectRows(client, 'SELECT 1 FROM system.merges')).length > 0) restsFor = 0;
  }
}

interface Week {
  readonly table: string;
  readonly partition: string;
}

const pastWeeks = (client: ClickHouseClient): Promise<Week[]> =>
  selectRows(
    client,
    `SELECT DISTINCT table, partition FROM system.parts
     WHERE active AND database = currentDatabase() AND table IN ('${tables.join("', '")}')
       AND toDate(partition) < toMonday(today()) ORDER BY table, partition`,
  );
