import { ClickHouseLogLevel, createClient, type ClickHouseClient } from '@clickhouse/client';
import { type ClickHouseConfig } from './config.js';

export const requestTimeoutMs = 120_000;

/** The one place where a ClickHouse client is made. `database: 'default'` reaches a server that has no tables yet. */
export function createClickHouse(config: ClickHouseConfig, database = config.CLICKHOUSE_DATABASE): ClickHouseClient {
  return createClient({
    url: config.CLICKHOUSE_URL,
    username: config.CLICKHOUSE_USER,
    password: config.CLICKHOUSE_PASSWORD,
    database,
    application: 'sluice',
    request_timeout: requestTimeoutMs,
    // Shorter than ClickHouse's own 10 s, so that a socket is never written to just when the server closes it.
    keep_alive: { enabled: true, idle_socket_ttl: 2_500 },
    log: { level: ClickHouseLogLevel.OFF },
  });
}
