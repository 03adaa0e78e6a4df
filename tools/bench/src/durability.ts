import { type ClickHouseClient } from '@clickhouse/client';
import { insertBare } from './bare-insert.js';
import { type BenchFigure } from './report.js';

const table = 'events_fsync';

/**
 * Measures the cost of CLICKHOUSE_DURABILITY=fsync in ClickHouse. It inserts each quarter of the same rows with and
 * without fsync in turn, because the machine's speed changes. A quorum needs a cluster and is not measured.
 */
export async function measureDurability(
  client: ClickHouseClient,
  total: number,
  receivedAt: string,
): Promise<BenchFigure[]> {
  const quarter = Math.floor(total / 4);
  await client.command({ query: `CREATE TABLE ${table} AS events` });
  await client.command({
    query: `ALTER TABLE ${table} MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1`,
  });
  const seconds = { none: 0, fsync: 0 };
  for (let turn = 0; turn < 4; turn++) {
    const rows = [turn * quarter, (turn + 1) * quarter] as const;
    const durabilities = ['none', 'fsync'] as const;
    for (const durability of turn % 2 === 0 ? durabilities : durabilities.toReversed()) {
      seconds[durability] += await insertBare(client, rows, receivedAt, durability === 'fsync' ? table : 'events_none');
    }
  }
  const rate = (durability: keyof typeof seconds): number => (4 * quarter) / seconds[durability];
  return [
    {
      group: 'bare INSERTs with CLICKHOUSE_DURABILITY=fsync (floor: none)',
      measure: 'stored',
      unit: 'rows/s',
      sluice: rate('fsync'),
      floor: rate('none'),
      ratio: rate('fsync') / rate('none'),
    },
  ];
}
