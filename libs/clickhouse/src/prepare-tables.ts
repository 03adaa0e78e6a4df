import { type TableConfig } from './config.js';
import { readMigrations } from './migration.js';
import { migrate } from './migrations.js';
import { whenReachable } from './when-reachable.js';

/**
 * Brings the tables of an app up to date, before it consumes: a block must never meet a missing table.
 * @param folder with its migrations
 * @throws MigrationError as `migrate`, and when ClickHouse cannot be reached for a minute
 */
export async function prepareTables(config: TableConfig, app: string, folder: URL): Promise<void> {
  const migrations = await readMigrations(app, folder);
  await whenReachable(() => migrate(config, migrations));
}
