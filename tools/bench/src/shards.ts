import { join } from 'node:path';
import { type ClickHouseClient } from '@clickhouse/client';
import { fillShard } from '@sluice/clickhouse';
import { startClickHouse } from '@sluice/testing';
import { database, startBenchApp, olderCheckout } from './apps.js';
import { clickhouseConfig } from './clickhouse-config.js';
import { dropTables, openClickHouse, selectRows } from './events-table.js';
import { type BenchOptions } from './options.js';
import { preload } from './preload.js';
import { progress } from './progress.js';
import { type BenchReport, type BenchFigure } from './report.js';
import { deleteGroup, measureUntilStored } from './rows.js';
import { type BenchServers } from './servers.js';
import { median } from './statistics.js';

const gigabyte = 1e9;

type Version = 'ours' | 'older';
const drainOrder: readonly (readonly Version[])[] = [
  ['ours', 'older'],
  ['older', 'ours'],
  ['ours', 'older'],
];

/**
 * Measures how long a new shard takes to get the tables that every shard has, and, with OLDER_CHECKOUT, whether one
 * server is as fast as with an older version.
 */
export async function measureShards(servers: BenchServers, { load }: BenchOptions): Promise<BenchReport> {
  // The first run of the service creates topics and tables.
  await (await startBenchApp(servers, 'tracking')).stop();
  const client = openClickHouse(servers);
  try {
    const fill = await measureFill(servers, client, load.rows);
    const versions =
      olderCheckout === undefined ? [] : await measureVersions(servers, client, olderCheckout, load.rows);
    return { figures: [...fill, ...versions], failures: [] };
  } finally {
    await client.close();
  }
}

async function measureFill(servers: BenchServers, client: ClickHouseClient, rows: number): Promise<BenchFigure[]> {
  progress(`shards: ${rows} identifies for a new shard`);
  const newShard = await startClickHouse({ dataDir: join(servers.folder, 'new-shard') });
  try {
    const serversWithNewShard = { ...servers, clickhouseUrl: newShard.url };
    await (await startBenchApp(serversWithNewShard, 'tracking')).stop();
    await client.command({ query: insertIdentifies(rows) });
    for (const table of ['identifies', 'users']) await client.command({ query: `OPTIMIZE TABLE ${table} FINAL` });
    const [size] = await selectRows<{ raw: number; disk: number }>(
      client,
      `SELECT toFloat64(sum(data_uncompressed_bytes)) AS raw, toFloat64(sum(bytes_on_disk)) AS disk
       FROM system.parts WHERE database = '${database}' AND active`,
    );
    const startedAt = performance.now();
    const copied = await fillShard(clickhouseConfig(newShard.url), servers.clickhouseUrl, newShard.url);
    const seconds = (performance.now() - startedAt) / 1_000;
    const copiedRows = [...copied.values()].reduce((sum, count) => sum + count, 0);
    const figure = (measure: string, unit: string, sluice: number): BenchFigure => ({
      group: 'filling a new shard',
      measure,
      unit,
      sluice,
    });
    return [
      figure('copied and counted', 'rows', copiedRows),
      figure('copied and counted', 'rows/s', copiedRows / seconds),
      figure('uncompressed', 'GB', (size?.raw ?? NaN) / gigabyte),
      figure('on disk', 'GB', (size?.disk ?? NaN) / gigabyte),
      figure('per GB, uncompressed', 's', (seconds * gigabyte) / (size?.raw ?? NaN)),
      figure('per GB, on disk', 's', (seconds * gigabyte) / (size?.disk ?? NaN)),
    ];
  } finally {
    await newShard.stop();
  }
}

/** Persons with five traits each, of which `users` keeps the latest. */
const insertIdentifies = (rows: number): string => `
  INSERT INTO identifies (source_id, user_id, anonymous_id, message_id, timestamp, traits, context, request_id,
                          received_at, kafka_partition, kafka_offset, kafka_timestamp)
  SELECT 'BenchSource1', concat('user-', toString(number % ${Math.ceil(rows / 3)})), concat('device-', toString(number)),
         generateUUIDv4(), now64(3) - INTERVAL number SECOND,
         concat('{"plan":"', ['free', 'pro', 'team'][1 + number % 3], '","city":"city-', toString(number % 997),
                '","email":"user', toString(number), '@shop.example","age":', toString(18 + number % 60), ',"vip":false}'),
         '{"ip":"10.0.0.1","locale":"fa-IR"}', generateUUIDv4(), now64(3), number % 12, intDiv(number, 12), now64(3)
  FROM numbers(${rows}) SETTINGS date_time_input_format = 'best_effort'`;

/** Stores the same rows with both versions in turn, because the machine's speed changes from minute to minute. */
async function measureVersions(
  servers: BenchServers,
  client: ClickHouseClient,
  older: string,
  rows: number,
): Promise<BenchFigure[]> {
  progress(`shards: filling Kafka with ${rows} rows for both versions`);
  await preload(servers, rows, new Date().toISOString());
  const rates: Record<Version, number[]> = { ours: [], older: [] };
  const drain = async (version: Version): Promise<number> => {
    await deleteGroup(servers);
    await dropTables(client);
    const options = version === 'ours' ? {} : { name: 'older-tracking', checkout: older };
    const tracking = await startBenchApp(servers, 'tracking', options);
    const { seconds } = await measureUntilStored(client, servers, tracking.pid, rows);
    await tracking.stop();
    progress(`  ${version}: ${Math.round(rows / seconds)} rows/s`);
    return rows / seconds;
  };
  // A first drain is not counted, so that both versions find servers that have drained the rows before.
  await drain('older');
  for (const pair of drainOrder) for (const version of pair) rates[version].push(await drain(version));
  const ratios = rates.ours.map((rate, i) => rate / (rates.older[i] ?? NaN));
  return [
    {
      group: 'one server (floor: OLDER_CHECKOUT)',
      measure: 'stored',
      unit: 'rows/s',
      sluice: median(rates.ours),
      floor: median(rates.older),
      ratio: median(ratios),
      ratios: [Math.min(...ratios), Math.max(...ratios)],
    },
  ];
}
