import { anySet, type Config, fileContent, followedFile, list, str, url } from '@sluice/service';
import { shardUrls } from './shards.js';
import { type TableTtls, tableTtls } from './table-ttls.js';

export const clickhouseVariables = {
  CLICKHOUSE_URL: url({ desc: 'HTTP or HTTPS interface of ClickHouse', example: 'http://clickhouse:8123' }),
  CLICKHOUSE_DATABASE: str({ default: 'sluice', desc: 'Database of the tables; created when it does not exist' }),
  CLICKHOUSE_USER: str({ default: 'default', desc: 'User of ClickHouse' }),
  CLICKHOUSE_PASSWORD: str({ default: '', desc: 'Password of that user' }),
  CLICKHOUSE_PASSWORD_FILE: fileContent({
    default: undefined,
    desc: 'File with that password; it wins over CLICKHOUSE_PASSWORD',
  }),
  CLICKHOUSE_TLS_CA_FILE: followedFile({
    default: undefined,
    requiredWhen: anySet('CLICKHOUSE_TLS_CERT_FILE'),
    desc: 'PEM file of the authorities that may sign the certificate of an https CLICKHOUSE_URL; those that Node knows by default',
  }),
  CLICKHOUSE_TLS_CERT_FILE: followedFile({
    default: undefined,
    requiredWhen: anySet('CLICKHOUSE_TLS_KEY_FILE'),
    desc: 'PEM file of our own certificate, for a ClickHouse that asks for one; together with CLICKHOUSE_TLS_CA_FILE and CLICKHOUSE_TLS_KEY_FILE',
  }),
  CLICKHOUSE_TLS_KEY_FILE: followedFile({
    default: undefined,
    requiredWhen: anySet('CLICKHOUSE_TLS_CERT_FILE'),
    desc: 'PEM file of the key of CLICKHOUSE_TLS_CERT_FILE',
  }),
  CLICKHOUSE_SHARDS: shardUrls({
    default: undefined,
    desc: 'Shards by name, each with the address of a server or balancer of it; one server by default. CLICKHOUSE_URL is then where rows are read',
    example: 'a=http://clickhouse-a:8123,b=http://clickhouse-b:8123',
  }),
  CLICKHOUSE_SHARDS_CLUSTER: str({
    default: undefined,
    requiredWhen: ({ CLICKHOUSE_SHARDS, CLICKHOUSE_CLUSTER }) =>
      CLICKHOUSE_SHARDS !== undefined && CLICKHOUSE_CLUSTER === undefined,
    desc: 'Cluster by which ClickHouse reads all shards (remote_servers); CLICKHOUSE_CLUSTER by default',
  }),
  CLICKHOUSE_CLUSTER: str({
    default: undefined,
    requiredWhen: ({ CLICKHOUSE_DURABILITY }) => CLICKHOUSE_DURABILITY === 'quorum',
    desc: 'Cluster that the tables are made on, replicated; a single server by default. With several shards, CLICKHOUSE_SHARDS names them',
  }),
  CLICKHOUSE_DURABILITY: str({
    choices: ['none', 'fsync', 'quorum'],
    default: undefined,
    desc: 'When rows count as stored: none (written), fsync (on disk), quorum (on most replicas). Tables stay as they are by default',
  }),
};

/** Variables of the apps that change tables. */
export const tableVariables = {
  CLICKHOUSE_SHARDS_DRAINED: list({
    default: [] as string[],
    desc: 'Shards of CLICKHOUSE_SHARDS that get no new events and ad requests; they keep what they have',
    example: 'b',
  }),
  TABLE_TTL_DAYS: tableTtls({
    default: new Map() as TableTtls,
    desc: 'Days that rows stay after their arrival, by table; `never` keeps them. Tables that are not named stay as they are',
    example: 'events=400,ad_requests=30',
  }),
};

type AllOfClickHouse = Config<typeof clickhouseVariables>;
/** Address, credentials and durability of ClickHouse. A missing member has its variable's default. */
export type ClickHouseConfig = Pick<
  AllOfClickHouse,
  'CLICKHOUSE_URL' | 'CLICKHOUSE_DATABASE' | 'CLICKHOUSE_USER' | 'CLICKHOUSE_PASSWORD'
> &
  Partial<AllOfClickHouse>;
export type TableConfig = ClickHouseConfig & Partial<Config<typeof tableVariables>>;
