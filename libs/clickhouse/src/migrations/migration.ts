import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of SQL statements of one app, `0001-events.sql`, applied once and never changed afterwards. */
export interface Migration {
  app: string;
  /** The file's name without `.sql`; files of an app are applied in the order of their names. */
  name: string;
  statements: string[];
  checksum: string;
}

/** A migration cannot be applied; a person has to act. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** @throws MigrationError when a file is not named `NNNN-<name>.sql`. */
export async function readMigrations(app: string, folder: string | URL): Promise<Migration[]> {
  const path = folder instanceof URL ? fileURLToPath(folder) : folder;
  const files = (await readdir(path)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(files.map(async (file) => parse(app, file, await readFile(join(path, file), 'utf8'))));
}

function parse(app: string, file: string, sql: string): Migration {
  if (!/^\d{4}-[a-z0-9-]+\.sql$/.test(file)) throw new MigrationError(`${app}: ${file} is not named NNNN-<name>.sql`);
  const statements = sql
    .replace(/^\s*--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  return { app, name: basename(file, '.sql'), statements, checksum: createHash('sha256').update(sql).digest('hex') };
}
