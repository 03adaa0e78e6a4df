import {
  type ClickHouseClient,
  type ClickHouseClientConfigOptions,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
} from '@clickhouse/client';
import { type ClickHouseConfig } from './config.js';
import { FollowingAgent } from './following-agent.js';
import { ownSettings } from './own-settings.js';

export const clickhouseRequestTimeoutMs = 120_000;

/** More sockets than a consumer has requests (4 blocks of each topic), so a hanging table leaves sockets for others. */
const maxConnections = 64;

/**
 * Keeps `count()` true: with a condition on the first columns of a table's order, ClickHouse counts the granules that
 * match as a whole and reads the others from a projection, where it counts the rows of the whole granules again
 * (docs/decisions/0065-exact-counts.md).
 */
export const countSettings: ClickHouseSettings = { optimize_use_implicit_projections: 0 };

/**
 * The one place where a ClickHouse client is made. `database: 'default'` reaches a server that has no tables yet.
 * @param settings for each of its queries, unless the query sets others
 */
export function createClickHouse(
  config: ClickHouseConfig,
  database = config.CLICKHOUSE_DATABASE,
  settings: ClickHouseSettings = {},
  timeoutMs = clickhouseRequestTimeoutMs,
): ClickHouseClient {
  return createClient({
    url: config.CLICKHOUSE_URL,
    username: config.CLICKHOUSE_USER,
    password: readPassword(config),
    ...tlsOptions(config),
    database,
    application: 'sluice',
    clickhouse_settings: { ...ownSettings, ...countSettings, ...settings },
    request_timeout: timeoutMs,
    max_open_connections: maxConnections,
    // Shorter than ClickHouse's own 10 s: otherwise a request could be sent just as the server closes the socket.
    keep_alive: { enabled: true, idle_socket_ttl: 2_500 },
    log: { level: ClickHouseLogLevel.OFF },
  });
}

/** TLS files of the configuration. Without them, Node verifies an https server by the authorities that it knows. */
function tlsOptions(config: ClickHouseConfig): ClickHouseClientConfigOptions {
  const { CLICKHOUSE_TLS_CA_FILE: ca, CLICKHOUSE_TLS_CERT_FILE: cert, CLICKHOUSE_TLS_KEY_FILE: key } = config;
  if (ca === undefined) return {};
  const http_agent = new FollowingAgent({ ca, cert, key }, maxConnections);
  if (cert === undefined || key === undefined) return { http_agent };
  // ClickHouse takes the certificate in place of a password. The client itself sends these headers only with its `tls`.
  const { CLICKHOUSE_USER: user } = config;
  const password = readPassword(config);
  return {
    http_agent,
    set_basic_auth_header: false,
    http_headers: {
      'X-ClickHouse-User': user,
      'X-ClickHouse-SSL-Certificate-Auth': 'on',
      ...(password !== '' && { 'X-ClickHouse-Key': password }),
    },
  };
}

const readPassword = (config: ClickHouseConfig): string =>
  config.CLICKHOUSE_PASSWORD_FILE ?? config.CLICKHOUSE_PASSWORD;
