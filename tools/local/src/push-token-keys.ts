import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writeJson } from './json-file.js';

/**
 * Returns keys for push tokens in the format of PUSH_TOKEN_KEYS: those of an earlier start, else a new one. They are
 * kept in the data folder, readable by its owner only, so that tokens of earlier starts stay valid.
 */
export function ensurePushTokenKeys(dataDir: string): string {
  const file = join(dataDir, 'push-token-keys.json');
  const { keys } = (readJson(file) ?? {}) as { keys?: unknown };
  if (typeof keys === 'string') return keys;
  const created = `local:${randomBytes(32).toString('base64url')}`;
  writeJson(file, { keys: created });
  return created;
}
