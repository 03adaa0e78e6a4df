import { type ClickHouseConfig } from '@sluice/clickhouse';
import { database } from './apps.js';

/** The settings of a client of the tables. */
export const clickhouseConfig = (url: string): ClickHouseConfig => ({
  CLICKHOUSE_URL: url,
  CLICKHOUSE_DATABASE: database,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
});
