import {
  type ClickHouseClient,
  ClickHouseLogLevel,
  createClient,
  type ClickHouseClientConfigOptions,
} from '@clickhouse/client';
import { type ClickHouseConfig } from './config.js';

export const clickhouseRequestTimeoutMs = 120_000;

/** More sockets than a consumer has requests (4 blocks of each topic), so a hanging table leaves sockets for others. */
const mostConnections = 64;

/** The one place where a ClickHouse client is made. `database: 'default'` reaches a server that has no tables yet. */
export function createClickHouse(config: ClickHouseConfig, database = config.CLICKHOUSE_DATABASE): ClickHouseClient {
  return createClient({
    url: config.CLICKHOUSE_URL,
    username: config.CLICKHOUSE_USER,
    password: config.CLICKHOUSE_PASSWORD_FILE ?? config.CLICKHOUSE_PASSWORD,
    ...tlsOf(config),
    database,
    application: 'sluice',
    request_timeout: clickhouseRequestTimeoutMs,
    max_open_connections: mostConnections,
    // Shorter than ClickHouse's own 10 s: otherwise a request could be sent just as the server closes the socket.
    keep_alive: { enabled: true, idle_socket_ttl: 2_500 },
    log: { level: ClickHouseLogLevel.OFF },
  });
}

/** TLS files of the operator. Without them, Node verifies an https server by the authorities that it knows. */
function tlsOf(config: ClickHouseConfig): Partial<Pick<ClickHouseClientConfigOptions, 'tls'>> {
  const { CLICKHOUSE_TLS_CA_FILE: ca, CLICKHOUSE_TLS_CERT_FILE: cert, CLICKHOUSE_TLS_KEY_FILE: key } = config;
  if (ca === undefined) return {};
  const authority = { ca_cert: Buffer.from(ca) };
  if (cert === undefined || key === undefined) return { tls: authority };
  return { tls: { ...authority, cert: Buffer.from(cert), key: Buffer.from(key) } };
}
