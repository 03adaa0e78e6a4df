import { type Starting, whenAvailable } from '@sluice/service';
import { type TableConfig } from '../connection/config.js';
import { MigrationError, readMigrations } from './migration.js';
import { migrate } from './migrations.js';
import { proveRoundTrip, RoundTripError } from '../round-trip/round-trip.js';

/**
 * Proves that ClickHouse reads rows as they are sent, and brings the tables of an app up to date. Call it before the app
 * consumes, so that no block meets a missing table, or a ClickHouse that would store its rows as others. Waits while
 * ClickHouse or a replica is down, and while migrations are pending that its user may not apply.
 * @param folder holds the app's migrations
 * @throws RoundTripError when `proveRoundTrip` does, MigrationError when `migrate` does.
 */
export async function prepareTables(starting: Starting, config: TableConfig, app: string, folder: URL): Promise<void> {
  const migrations = await readMigrations(app, folder);
  const isFinal = (error: unknown): boolean => error instanceof MigrationError || error instanceof RoundTripError;
  await whenAvailable(starting, 'clickhouse', () => proveRoundTrip(config), isFinal);
  await whenAvailable(starting, 'clickhouse', () => migrate(config, migrations, { needsViews: false }), isFinal);
}
