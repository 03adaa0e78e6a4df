import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { database } from './apps.js';
import { type BenchServers } from './servers.js';

/** A merge of the whole table can take this long. */
const timeoutMs = 3_600_000;

export const openClickHouse = ({ clickhouseUrl }: BenchServers): ClickHouseClient =>
  createClient({ url: clickhouseUrl, database, request_timeout: timeoutMs, log: { level: ClickHouseLogLevel.OFF } });

/** The rows of a SELECT. */
export async function selectRows<Row>(client: ClickHouseClient, query: string): Promise<Row[]> {
  const result = await client.query({ query, format: 'JSONEachRow' });
  return result.json<Row>();
}

export async function countTableRows(client: ClickHouseClient, table = 'events'): Promise<number> {
  const [row] = await selectRows<{ rows: number }>(client, `SELECT toUInt32(count()) AS rows FROM ${table}`);
  return row?.rows ?? 0;
}

/** Drops all tables, and with them the deduplication tokens of their blocks. */
export async function dropTables(client: ClickHouseClient): Promise<void> {
  await client.command({ query: `DROP DATABASE ${database} SYNC` });
}
