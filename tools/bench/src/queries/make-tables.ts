import { migrate, readMigrations } from '@sluice/clickhouse';
import { clickhouseConfig } from '../clickhouse-config.js';
import { type BenchServers } from '../servers.js';

// Apps are never imported: the bench reads their SQL as data, in the order of `operator migrate`.
const apps = ['catalog', 'push-interaction', 'tracking', 'operator'];
const migrationsFolder = (app: string): URL => new URL(`../../../../apps/${app}/migrations/`, import.meta.url);

/** Creates all tables and views without Kafka. */
export async function makeTables({ clickhouseUrl }: BenchServers): Promise<void> {
  const files = await Promise.all(apps.map((app) => readMigrations(app, migrationsFolder(app))));
  await migrate(clickhouseConfig(clickhouseUrl), files.flat());
}
