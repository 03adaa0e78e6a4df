import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writeJson } from './json-file.js';

/** Returns the console's secret of an earlier start, else a new one, so that a restart signs nobody out. */
export function ensureConsoleSecret(dataDir: string): string {
  const file = join(dataDir, 'console-secret.json');
  const { secret } = (readJson(file) ?? {}) as { secret?: unknown };
  if (typeof secret === 'string') return secret;
  const created = randomBytes(32).toString('base64url');
  writeJson(file, { secret: created });
  return created;
}
