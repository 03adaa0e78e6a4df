import { type ClickHouseConfig, migrate, readMigrations } from '@sluice/clickhouse';
import { database } from '../apps.js';
import { type Servers } from '../servers.js';

// Apps are never imported: the bench reads their SQL as data, in the order of `operator migrate`.
const apps = ['catalog', 'push-interaction', 'tracking', 'operator'];
const migrationsOf = (app: string): URL => new URL(`../../../../apps/${app}/migrations/`, import.meta.url);

/** Where the tables are, for code of the operator. */
export const configOf = ({ clickhouseUrl }: Servers): ClickHouseConfig => ({
  CLICKHOUSE_URL: clickhouseUrl,
  CLICKHOUSE_DATABASE: database,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
});

/** Creates all tables and views without Kafka. */
export async function makeTables(servers: Servers): Promise<void> {
  const files = await Promise.all(apps.map((app) => readMigrations(app, migrationsOf(app))));
  await migrate(configOf(servers), files.flat());
}
