import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writeJson } from './json-file.js';

/**
 * The keys of the tracking tokens of push notifications, as PUSH_TOKEN_KEYS wants them: those of an earlier start, else
 * a new one. Kept in the data folder for its owner only, so that tokens that were handed out still open.
 */
export function ensurePushTokenKeys(dataDir: string): string {
  const file = join(dataDir, 'push-token-keys.json');
  const { keys } = (readJson(file) ?? {}) as { keys?: unknown };
  if (typeof keys === 'string') return keys;
  const created = `local:${randomBytes(32).toString('base64url')}`;
  writeJson(file, { keys: created });
  return created;
}
