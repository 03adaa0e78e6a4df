import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ServerSpec } from '../server/server-spec.js';
import { newerClickHouse } from './newer-clickhouse.js';

// The paths are right from both src and dist, which are equally deep.
const program = fileURLToPath(new URL('../../clickhouse/server.mjs', import.meta.url));
const newerProgram = fileURLToPath(new URL('../../clickhouse/newer-server.py', import.meta.url));

/** The ClickHouse that runs: that of npm, or the newer one of PyPI (newer-clickhouse.ts). */
export type ClickHouseRelease = 'npm' | 'newer';
const isRelease = (name: string | undefined): name is ClickHouseRelease => name === 'npm' || name === 'newer';

/** TEST_CLICKHOUSE=newer gives all tests, `npm start` and fault runs the newer server. */
function readRelease(): ClickHouseRelease {
  const { TEST_CLICKHOUSE: name = 'npm' } = process.env;
  if (!isRelease(name)) throw new Error(`TEST_CLICKHOUSE must be npm or newer, and is ${name}`);
  return name;
}

// Begins to listen, then reads standard input, which is a lifeline, to its end: the server exits when its parent does.
const lifelineQuery = (listens: string): string =>
  `${listens}; SELECT count() FROM file('/dev/stdin','LineAsString','l String') FORMAT Null`;

/** A user who may do only what the grants allow. */
export interface ClickHouseUser {
  readonly name: string;
  readonly password: string;
  /** Statements as SQL has them, without `TO`: `GRANT SELECT ON sluice.events`. */
  readonly grants: readonly string[];
  /** True when their profile has `readonly = 2`, and the setting for exact counts of docs/tables.md. */
  readonly isReader?: boolean;
  /** Settings of a profile of their own, as a company may set them. */
  readonly profile?: Readonly<Record<string, string | number>>;
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
  /** By default what TEST_CLICKHOUSE names, or that of npm. */
  readonly release?: ClickHouseRelease;
  /** Settings of the profile that all users have, as a company may set them. */
  readonly profile?: Readonly<Record<string, string | number>>;
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

const clusterEntries = (clusters: NonNullable<ClickHouseOptions['clusters']>): string =>
  Object.entries(clusters)
    .map(([name, ports]) => `<${name}>${ports.map(shardAt).join('')}</${name}>`)
    .join('');

interface Configuration {
  readonly memoryMb: number;
  readonly backups: string;
  readonly usersConfig: string | undefined;
  readonly clusters: string;
  readonly port: number;
  readonly tcpPort: number | undefined;
}

const configuration = ({
  memoryMb,
  backups,
  usersConfig,
  clusters,
  port,
  tcpPort,
}: Configuration): string => `<clickhouse>
${usersConfig === undefined ? '' : `  <users_config>${usersConfig}</users_config>\n`}  <listen_host>127.0.0.1</listen_host>
  <http_port>${port}</http_port>
${tcpPort === undefined ? '' : `  <tcp_port>${tcpPort}</tcp_port>\n`}  <logger><console>1</console><level>error</level></logger>
  <max_server_memory_usage>${memoryMb * 1024 * 1024}</max_server_memory_usage>
  <mark_cache_size>${256 * 1024 * 1024}</mark_cache_size>
  <backups><allowed_path>${backups}</allowed_path></backups>
  <remote_servers replace="1">${clusters}</remote_servers>
</clickhouse>
`;

const usersFile = (
  users: readonly ClickHouseUser[],
  profile: NonNullable<ClickHouseOptions['profile']>,
): string => `<clickhouse>
  <profiles>${[{ name: 'default', profile }, ...users].map(profileEntry).join('')}<reader><readonly>2</readonly><optimize_use_implicit_projections>0</optimize_use_implicit_projections></reader></profiles>
  <quotas><default></default></quotas>
  <users>
    <default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
${users.map(userEntry).join('')}  </users>
</clickhouse>
`;

const settingEntry = ([name, value]: [string, string | number]): string => `<${name}>${value}</${name}>`;

const profileEntry = ({ name, profile }: Pick<ClickHouseUser, 'name' | 'profile'>): string =>
  profile ? `<${name}>${Object.entries(profile).map(settingEntry).join('')}</${name}>` : '';

const userEntry = ({
  name,
  password,
  grants,
  isReader = false,
  profile,
  filters,
}: ClickHouseUser): string => `    <${name}>
      <password>${password}</password>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>${isReader ? 'reader' : profile ? name : 'default'}</profile>
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

/**
 * Writes the configuration. The returned server can be started repeatedly.
 * @throws MissingToolError when the newer ClickHouse cannot be had
 */
export async function prepareClickHouse(options: ClickHouseOptions): Promise<PreparedClickHouse> {
  const { dataDir, port, tcpPort, memoryMb = 4_096, profile, logFile = join(dataDir, 'clickhouse.log') } = options;
  const users = options.users ?? (profile && []);
  const usersConfig = users && join(dataDir, 'users.xml');
  await mkdir(dataDir, { recursive: true });
  if (users && usersConfig !== undefined) {
    await writeFile(usersConfig, usersFile(users, profile ?? {}), { mode: 0o600 });
  }
  const clusters = clusterEntries(options.clusters ?? {});
  const backups = join(dataDir, 'backups');
  await writeFile(
    join(dataDir, 'config.xml'),
    configuration({ memoryMb, backups, usersConfig, clusters, port, tcpPort }),
  );
  const url = `http://127.0.0.1:${port}`;
  const server: ServerSpec = {
    name: 'clickhouse',
    ...(await prepareCommand(options.release ?? readRelease(), options)),
    port,
    logFile,
    lifeline: true,
    isReady: () => answers(url),
  };
  return { url, server };
}

/** The program that reads `config.xml` of the data folder. */
async function prepareCommand(
  release: ClickHouseRelease,
  { dataDir, tcpPort }: ClickHouseOptions,
): Promise<Pick<ServerSpec, 'command' | 'args' | 'env'>> {
  const path = join(dataDir, 'data');
  const query = lifelineQuery(
    tcpPort === undefined ? 'SYSTEM START LISTEN HTTP' : 'SYSTEM START LISTEN HTTP; SYSTEM START LISTEN TCP',
  );
  if (release === 'newer') {
    const env = { PYTHONPATH: await newerClickHouse() };
    return { command: 'python3', args: [newerProgram, dataDir, path, query], env };
  }
  const settings = { 'config-file': join(dataDir, 'config.xml'), path, query };
  return {
    command: process.execPath,
    args: [program, ...Object.entries(settings).map(([name, value]) => `--${name}=${value}`)],
  };
}
