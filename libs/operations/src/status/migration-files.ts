import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Migration, readMigrations } from '@sluice/clickhouse';

/**
 * The folder of all apps; this file has the same depth in src and in dist. Apps never import apps: their SQL is read as
 * data, wherever the repository is deployed.
 */
export const appsFolder = fileURLToPath(new URL('../../../../apps/', import.meta.url));

/** App whose migrations run last: its views join tables of several apps, which must exist. */
const lastApp = 'operator';

/** Finds the migrations of all apps, app by app, those of the operator last. */
export async function findMigrations(folder = appsFolder): Promise<Migration[]> {
  const apps = (await readdir(folder)).sort(
    (a, b) => Number(a === lastApp) - Number(b === lastApp) || (a < b ? -1 : 1),
  );
  const folders = apps
    .map((app) => ({ app, path: join(folder, app, 'migrations') }))
    .filter(({ path }) => existsSync(path));
  return (await Promise.all(folders.map(({ app, path }) => readMigrations(app, path)))).flat();
}
