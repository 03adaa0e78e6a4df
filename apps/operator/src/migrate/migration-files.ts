import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Migration, readMigrations } from '@sluice/clickhouse';

/**
 * The folder of all apps; this file is as deep in src as it is in dist. Apps never import apps, and this is none of
 * their code: the SQL they own is read as data, wherever the tree is deployed.
 */
export const appsFolder = fileURLToPath(new URL('../../../', import.meta.url));

/** Its views join tables of several apps: they come when all tables are there. */
const last = 'operator';

/** The migrations of every app that has some, app by app, the operator's own at the end. */
export async function findMigrations(folder = appsFolder): Promise<Migration[]> {
  const apps = (await readdir(folder)).sort((a, b) => Number(a === last) - Number(b === last) || (a < b ? -1 : 1));
  const found = apps
    .map((app) => ({ app, path: join(folder, app, 'migrations') }))
    .filter(({ path }) => existsSync(path));
  return (await Promise.all(found.map(({ app, path }) => readMigrations(app, path)))).flat();
}
