import { type ClickHouseClient } from '@clickhouse/client';
import { selectRows } from '../events-table.js';
import { type BenchFigure } from '../report.js';
import { median } from '../statistics.js';
import { type Question } from './questions.js';

const warmRuns = 5;
const caches = ['MARK CACHE', 'PRIMARY INDEX CACHE', 'UNCOMPRESSED CACHE', 'MMAP CACHE'];

interface Run {
  readonly ms: number;
  readonly rows: number;
  readonly bytes: number;
  readonly answerRows: number;
}

interface Answer {
  readonly figures: BenchFigure[];
  readonly isEmpty: boolean;
}

/** Runs a query once cold (empty ClickHouse caches, O_DIRECT past the page cache), then several times warm. */
export async function measureQuestion(
  client: ClickHouseClient,
  { name, query, plainQuery }: Question,
  parameters: Record<string, string>,
): Promise<Answer> {
  for (const cache of caches) await client.command({ query: `SYSTEM DROP ${cache}` });
  const cold = await run(client, query, parameters, { min_bytes_to_use_direct_io: '1' });
  await run(client, query, parameters);
  const cpuBefore = await cpuMs(client);
  const warm: number[] = [];
  for (let i = 0; i < warmRuns; i++) warm.push((await run(client, query, parameters)).ms);
  const cpu = ((await cpuMs(client)) - cpuBefore) / warmRuns;
  const plain: number[] = [];
  // In turn, because the speed of the machine drifts.
  for (let i = 0; plainQuery !== undefined && i < warmRuns; i++) {
    plain.push((await run(client, plainQuery, parameters)).ms / (await run(client, query, parameters)).ms);
  }

  const figure = (measure: string, unit: string, sluice: number): BenchFigure => ({
    group: name,
    measure,
    unit,
    sluice,
  });
  return {
    figures: [
      figure('cold', 'ms', cold.ms),
      figure('warm', 'ms', median(warm)),
      figure('warm, CPU', 'ms', cpu),
      ...(plain.length > 0 ? [figure('the plain query takes', 'times as long', median(plain))] : []),
      figure('rows read', 'rows', cold.rows),
      figure('bytes read', 'MB', cold.bytes / 1e6),
    ],
    isEmpty: cold.answerRows === 0,
  };
}

async function run(
  client: ClickHouseClient,
  query: string,
  query_params: Record<string, string>,
  settings: Record<string, string> = {},
): Promise<Run> {
  const startedAt = performance.now();
  const result = await client.query({
    query,
    query_params,
    format: 'JSON',
    // One thread for each core of the machine in docs/benchmarks.md, and no cache of earlier answers.
    clickhouse_settings: { max_threads: 2, use_query_condition_cache: 0, wait_end_of_query: 1, ...settings },
  });
  const { rows = 0, statistics } = await result.json();
  const ms = performance.now() - startedAt;
  return { ms, rows: statistics?.rows_read ?? 0, bytes: statistics?.bytes_read ?? 0, answerRows: rows };
}

/** CPU time that ClickHouse has used for queries and merges since it started. */
async function cpuMs(client: ClickHouseClient): Promise<number> {
  const [row] = await selectRows<{ ms: number }>(
    client,
    `SELECT sum(value) / 1000 AS ms FROM system.events WHERE event IN ('UserTimeMicroseconds', 'SystemTimeMicroseconds')`,
  );
  return row?.ms ?? NaN;
}
