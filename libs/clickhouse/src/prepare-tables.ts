import { type TableConfig } from './config.js';
import { readMigrations } from './migration.js';
import { migrate } from './migrations.js';
import { whenReachable } from './when-reachable.js';

/**
 * Brings the tables of an app up to date. Call it before the app consumes, so that no block meets a missing table.
 * @param folder holds the app's migrations
 * @throws MigrationError when `migrate` does; the last error when ClickHouse cannot be reached for a minute
 */
export async function prepareTables(config: TableConfig, app: string, folder: URL): Promise<void> {
  const migrations = await readMigrations(app, folder);
  await whenReachable(() => migrate(config, migrations));
}
