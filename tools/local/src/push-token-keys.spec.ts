import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ensurePushTokenKeys } from './push-token-keys.js';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'sluice-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

it('keeps the same keys at every start, makes new ones for every data folder, and lets only the owner read them', async () => {
  const keys = ensurePushTokenKeys(dataDir);
  expect(keys).toMatch(/^local:[A-Za-z0-9_-]{43}$/);
  expect(ensurePushTokenKeys(dataDir)).toBe(keys);
  expect((await stat(join(dataDir, 'push-token-keys.json'))).mode & 0o777).toBe(0o600);

  await rm(join(dataDir, 'push-token-keys.json'));
  expect(ensurePushTokenKeys(dataDir)).not.toBe(keys);
});
