import { type Config, str, url } from '@sluice/service';

export const clickhouseVariables = {
  CLICKHOUSE_URL: url({ desc: 'HTTP interface of ClickHouse', example: 'http://clickhouse:8123' }),
  CLICKHOUSE_DATABASE: str({ default: 'sluice', desc: 'Database of the tables; created when it does not exist' }),
  CLICKHOUSE_USER: str({ default: 'default', desc: 'User of ClickHouse' }),
  CLICKHOUSE_PASSWORD: str({ default: '', desc: 'Password of that user' }),
};
export type ClickHouseConfig = Config<typeof clickhouseVariables>;
