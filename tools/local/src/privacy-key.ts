import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writeJson } from './json-file.js';

/** Returns PRIVACY_KEY of an earlier start, else a new one: another key cannot use the records of suppressed people. */
export function ensurePrivacyKey(dataDir: string): string {
  const file = join(dataDir, 'privacy-key.json');
  const { key } = (readJson(file) ?? {}) as { key?: unknown };
  if (typeof key === 'string') return key;
  const created = randomBytes(32).toString('base64url');
  writeJson(file, { key: created });
  return created;
}
