import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ExpectedFailure } from './expected-failure.js';
import { readJson } from './json-file.js';
import { identifyProcess, isIdentity, isStillRunning } from './process-identity.js';

const lockFile = (dataDir: string): string => join(dataDir, 'supervisor.json');

function takeFile(path: string, content: string): boolean {
  try {
    writeFileSync(path, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Makes this process the only supervisor of a data folder.
 * @throws ExpectedFailure while another one is running.
 */
export async function lock(dataDir: string): Promise<void> {
  const path = lockFile(dataDir);
  const ownIdentity = JSON.stringify(await identifyProcess(process.pid));
  if (takeFile(path, ownIdentity)) return;

  const owner = readJson(path);
  if (isIdentity(owner) && (await isStillRunning(owner))) {
    throw new ExpectedFailure(
      `Sluice is already running on ${dataDir} (pid ${owner.pid}): stop it, or set SLUICE_DATA_DIR to another folder.`,
    );
  }
  // The owner was killed and left its file behind.
  rmSync(path, { force: true });
  if (!takeFile(path, ownIdentity))
    throw new ExpectedFailure(`Another Sluice was started on ${dataDir} at the same time.`);
}

export function unlock(dataDir: string): void {
  rmSync(lockFile(dataDir), { force: true });
}
