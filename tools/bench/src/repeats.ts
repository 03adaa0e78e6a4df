import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouseClient } from '@clickhouse/client';
import { startBenchApp } from './apps.js';
import { countTableRows, dropTables, openClickHouse, selectRows } from './events-table.js';
import { type BenchOptions } from './options.js';
import { preload } from './preload.js';
import { progress } from './progress.js';
import { type BenchReport } from './report.js';
import { type Moved, measureUntilStored } from './rows.js';
import { type BenchServers } from './servers.js';
import { sideBySide } from './side-by-side.js';

const rowsPerPiece = 1_000_000;
const mergePollMs = 250;
/** Polls without a merge before merging counts as done: ClickHouse can take some seconds to begin one. */
const quietPolls = 8;

/**
 * Measures the cost of looking up possible repeats. Rows with and without the header go in turn into a table with many
 * rows of the same days and persons. No row is a repeat, because almost no request with an Idempotency-Key is one.
 * Merges wait until the rows are counted: both kinds of rows cause the same merges, but only chance decides which of
 * them would be measured during a large merge.
 */
export async function measureRepeats(servers: BenchServers, { load, profiles }: BenchOptions): Promise<BenchReport> {
  const { repeats: rows, heldRows, drains } = load;
  await (await startBenchApp(servers, 'tracking')).stop();
  const client = openClickHouse(servers);
  const pairs: { sluice: Moved; floor: Moved }[] = [];
  try {
    progress(`repeats: filling the table with ${heldRows} rows`);
    await fill(client, heldRows);
    let first = 0;
    const drain = async (mayRepeat: boolean): Promise<Moved> => {
      await preload(servers, rows, new Date().toISOString(), { first, mayRepeat, ids: randomUUID });
      first += rows;
      await client.command({ query: 'SYSTEM STOP MERGES events' });
      const tracking = await startBenchApp(servers, 'tracking', { profiles });
      const moved = await measureUntilStored(client, servers, tracking.pid, (await countTableRows(client)) + rows);
      await tracking.stop();
      await mergeParts(client);
      return moved;
    };
    for (let round = 1; round <= drains; round++) {
      // The two take turns in going first, because the merges grow from round to round.
      const isRepeatFirst = round % 2 === 0;
      const firstDrain = await drain(isRepeatFirst);
      const secondDrain = await drain(!isRepeatFirst);
      pairs.push(
        isRepeatFirst ? { sluice: firstDrain, floor: secondDrain } : { sluice: secondDrain, floor: firstDrain },
      );
      progress(`  round ${round} of ${drains}`);
    }
    const failures = await verify(client, heldRows + first);
    await dropTables(client);
    return { figures: makeFigures(pairs, { rows, heldRows }), failures };
  } finally {
    await client.close();
  }
}

/** Inserts rows with the persons and times of `finishedRow`, starting at row 0; 100 million rows span 43 days. */
async function fill(client: ClickHouseClient, heldRows: number): Promise<void> {
  for (let from = 0; from < heldRows; from += rowsPerPiece) {
    await client.command({
      query: `INSERT INTO events (source_id, event, timestamp, user_id, message_id, properties, request_id, received_at)
        WITH fromUnixTimestamp64Milli(1750000000000 + toInt64(number) * 37, 'UTC') AS at
        SELECT 'BenchSource1', ['product_viewed', 'product_added', 'search', 'page_viewed', 'checkout_started'][1 + number % 5],
          at, concat('user-', toString(number)), generateUUIDv4(),
          '{"quantity":1}'::JSON(max_dynamic_paths = 256), generateUUIDv4(), at + toIntervalMillisecond(50)
        FROM numbers({from:UInt64}, {count:UInt64})`,
      query_params: { from, count: Math.min(rowsPerPiece, heldRows - from) },
      clickhouse_settings: {
        optimize_on_insert: 0,
        max_block_size: String(rowsPerPiece),
        min_insert_block_size_rows: String(rowsPerPiece),
        max_execution_time: 0,
      },
    });
    progress(`  ${from + rowsPerPiece}`);
  }
  progress('  merging');
  await client.command({ query: 'OPTIMIZE TABLE events FINAL', clickhouse_settings: { max_execution_time: 0 } });
}

/** Lets ClickHouse merge until nothing is left to merge. */
async function mergeParts(client: ClickHouseClient): Promise<void> {
  await client.command({ query: 'SYSTEM START MERGES events' });
  for (let quiet = 0; quiet < quietPolls;) {
    await sleep(mergePollMs);
    const [running] = await selectRows<{ merges: number }>(
      client,
      'SELECT toUInt32(count()) AS merges FROM system.merges',
    );
    quiet = running?.merges === 0 ? quiet + 1 : 0;
  }
}

async function verify(client: ClickHouseClient, expected: number): Promise<string[]> {
  const [stored] = await selectRows<{ rows: number }>(client, 'SELECT toUInt32(count()) AS rows FROM events');
  return stored?.rows === expected ? [] : [`repeats: ${expected} different messages, ${stored?.rows ?? 0} stored`];
}

function makeFigures(
  pairs: readonly { readonly sluice: Moved; readonly floor: Moved }[],
  { rows, heldRows }: { rows: number; heldRows: number },
) {
  const group = `possible repeats into ${heldRows} rows (floor: as many other rows)`;
  const measured = (measure: string, unit: string, quantity: (moved: Moved) => number) =>
    sideBySide(
      { group, measure, unit },
      pairs.map(({ sluice, floor }) => ({ sluice: quantity(sluice), floor: quantity(floor) })),
    );
  const perMillion = (seconds: number): number => (seconds / rows) * 1e6;
  return [
    measured('CPU of service and ClickHouse', 's per million', (moved) => perMillion(moved.cpu + moved.clickhouseCpu)),
    measured('CPU of the service', 's per million', (moved) => perMillion(moved.cpu)),
    measured('CPU of ClickHouse', 's per million', (moved) => perMillion(moved.clickhouseCpu)),
  ];
}
