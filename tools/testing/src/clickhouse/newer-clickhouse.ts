import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MissingToolError } from '../missing-tool-error.js';

const run = promisify(execFile);

/** The newest ClickHouse that PyPI has in a wheel, as the name of its package. npm has 26.7 only. */
const wheel = 'chdb-core==26.9.0';

// The path is right from both src and dist, which are equally deep.
const cache = fileURLToPath(new URL('../../../../.cache', import.meta.url));

/**
 * The folder with the Python package of the newer ClickHouse. The first call in a checkout fetches it (180 MB). Safe for
 * concurrent processes.
 * @throws MissingToolError without Python 3 and pip, or where PyPI is not reached
 */
export async function newerClickHouse(): Promise<string> {
  const folder = join(cache, wheel.replace('==', '-'));
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const download = await mkdtemp(`${folder}.`);
  try {
    // The wheel alone: what it names as its requirements serves data frames.
    const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--target', download];
    await run('python3', ['-m', 'pip', 'install', ...options, wheel]);
    await rename(download, folder);
  } catch (error) {
    // If the folder exists now, another process has completed it.
    if (!existsSync(folder)) throw new MissingToolError(whyMissing(error));
  } finally {
    await rm(download, { recursive: true, force: true });
  }
  return folder;
}

function whyMissing(error: unknown): string {
  const { stderr = '', message } = error as { stderr?: string; message: string };
  const [why = message] = stderr.split('\n').filter((line) => line !== '');
  return `the newer ClickHouse is PyPI's ${wheel}, which python3 -m pip could not install: ${why}`;
}

/** True when the newer ClickHouse can run here; fetches it at the first call, and prints the reason if not. */
export async function hasNewerClickHouse(): Promise<boolean> {
  try {
    await newerClickHouse();
    return true;
  } catch (error) {
    if (!(error instanceof MissingToolError)) throw error;
    console.log(`the newer ClickHouse was skipped: ${error.message}`);
    return false;
  }
}
