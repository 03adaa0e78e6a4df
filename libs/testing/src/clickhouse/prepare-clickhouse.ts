import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ServerSpec } from '../server/server-spec.js';

// The path is right from both src and dist, which are equally deep.
const program = fileURLToPath(new URL('../../clickhouse/server.mjs', import.meta.url));

// Begins to listen, then reads standard input, which is a lifeline, to its end: the server exits when its parent does.
const queryOf = (listens: string): string =>
  `${listens}; SELECT count() FROM file('/dev/stdin','LineAsString','l String') FORMAT Null`;

/** A user who may do only what the grants allow. */
export interface ClickHouseUser {
  readonly name: string;
  readonly password: string;
  /** Statements as SQL has them, without `TO`: `GRANT SELECT ON sluice.events`. */
  readonly grants: readonly string[];
  /** Whether their profile has `readonly = 2`, and the setting for exact counts of docs/tables.md. */
  readonly isReader?: boolean;
  /** Row policies: by `database.table`, the condition of the rows that they see. */
  readonly filters?: Readonly<Record<string, string>>;
}

export interface ClickHouseOptions {
  /** A later start with the same folder keeps the tables. */
  readonly dataDir: string;
  readonly port: number;
  /** Memory limit of the whole server, beyond which queries fail. 4 GiB by default. */
  readonly memoryMb?: number;
  /** Port at which other servers of its clusters read from it; needed when `clusters` is set. */
  readonly tcpPort?: number;
  /** Clusters that it reads, by name: the TCP ports of their shards' servers. */
  readonly clusters?: Readonly<Record<string, readonly number[]>>;
  /** Users in addition to `default`, which may do everything and has no password. */
  readonly users?: readonly ClickHouseUser[];
  /** By default `clickhouse.log` in the data folder. */
  readonly logFile?: string;
}

export interface PreparedClickHouse {
  readonly url: string;
  readonly server: ServerSpec;
}

const shardAt = (port: number): string =>
  `<shard><replica><host>127.0.0.1</host><port>${port}</port></replica></shard>`;

const clustersOf = (clusters: NonNullable<ClickHouseOptions['clusters']>): string =>
  Object.entries(clusters)
    .map(([name, ports]) => `<${name}>${ports.map(shardAt).join('')}</${name}>`)
    .join('');

const configuration = (
  memoryMb: number,
  backups: string,
  users: string | undefined,
  clusters = '',
): string => `<clickhouse>
${users === undefined ? '' : `  <users_config>${users}</users_config>\n`}  <max_server_memory_usage>${memoryMb * 1024 * 1024}</max_server_memory_usage>
  <mark_cache_size>${256 * 1024 * 1024}</mark_cache_size>
  <backups><allowed_path>${backups}</allowed_path></backups>
  <remote_servers replace="1">${clusters}</remote_servers>
</clickhouse>
`;

const usersFile = (users: readonly ClickHouseUser[]): string => `<clickhouse>
  <profiles><default></default><reader><readonly>2</readonly><optimize_use_implicit_projections>0</optimize_use_implicit_projections></reader></profiles>
  <quotas><default></default></quotas>
  <users>
    <default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
${users.map(userEntry).join('')}  </users>
</clickhouse>
`;

const userEntry = ({ name, password, grants, isReader = false, filters }: ClickHouseUser): string => `    <${name}>
      <password>${password}</password>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>${isReader ? 'reader' : 'default'}</profile>
      <quota>default</quota>
      <grants>${grants.map((grant) => `<query>${grant}</query>`).join('')}</grants>
      ${filters ? `<databases>${Object.entries(filters).map(filterEntry).join('')}</databases>` : ''}
    </${name}>
`;

const filterEntry = ([place, condition]: [string, string]): string => {
  const [database = '', table = ''] = place.split('.');
  return `<${database}><${table}><filter>${condition}</filter></${table}></${database}>`;
};

async function answers(url: string): Promise<boolean> {
  try {
    const { ok } = await fetch(`${url}/ping`, { signal: AbortSignal.timeout(1_000) });
    return ok;
  } catch {
    return false;
  }
}

/** Writes the configuration. The returned server can be started repeatedly. */
export async function prepareClickHouse(options: ClickHouseOptions): Promise<PreparedClickHouse> {
  const { dataDir, port, tcpPort, memoryMb = 4_096, users, logFile = join(dataDir, 'clickhouse.log') } = options;
  const config = join(dataDir, 'config.xml');
  const usersConfig = users && join(dataDir, 'users.xml');
  await mkdir(dataDir, { recursive: true });
  if (users && usersConfig !== undefined) await writeFile(usersConfig, usersFile(users), { mode: 0o600 });
  const clusters = clustersOf(options.clusters ?? {});
  await writeFile(config, configuration(memoryMb, join(dataDir, 'backups'), usersConfig, clusters));
  const url = `http://127.0.0.1:${port}`;
  const settings = {
    'config-file': config,
    path: join(dataDir, 'data'),
    listen_host: '127.0.0.1',
    http_port: port,
    ...(tcpPort !== undefined && { tcp_port: tcpPort }),
    'logger.console': 1,
    'log-level': 'error',
    query: queryOf(
      tcpPort === undefined ? 'SYSTEM START LISTEN HTTP' : 'SYSTEM START LISTEN HTTP; SYSTEM START LISTEN TCP',
    ),
  };
  const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  const server: ServerSpec = {
    name: 'clickhouse',
    command: process.execPath,
    args: [program, ...args],
    port,
    logFile,
    lifeline: true,
    isReady: () => answers(url),
  };
  return { url, server };
}
