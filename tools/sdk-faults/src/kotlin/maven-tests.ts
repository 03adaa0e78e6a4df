import { execFile } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { kotlinModule } from './class-path.js';

const run = promisify(execFile);
const most = 64 * 1_024 * 1_024;

/** Runs Maven in the Kotlin SDK. @throws with what Maven printed */
export async function maven(...args: readonly string[]): Promise<void> {
  try {
    await run('mvn', ['-B', '-ntp', '-q', '-f', join(kotlinModule, 'pom.xml'), ...args], { maxBuffer: most });
  } catch (error) {
    const { stdout = '' } = error as { stdout?: string };
    throw new Error(`mvn ${args.join(' ')}:\n${stdout.slice(0, 20_000)}`, { cause: error });
  }
}

/** Runs the tests of a module of the Kotlin SDK, and counts them. @throws with what Maven printed if one fails */
export async function mavenTests(module: 'core' | 'android'): Promise<{ tests: number; skipped: number }> {
  const reports = join(kotlinModule, module, 'target', 'surefire-reports');
  await rm(reports, { recursive: true, force: true });
  // The module's own dependency on the core comes from the same build.
  await maven('-pl', module, ...(module === 'android' ? ['-am', '-Dsurefire.failIfNoSpecifiedTests=false'] : []), 'test');
  const names = (await readdir(reports)).filter((name) => name.endsWith('.xml'));
  const texts = await Promise.all(names.map((name) => readFile(join(reports, name), 'utf8')));
  const sum = (count: string): number =>
    texts.reduce((total, text) => total + Number(new RegExp(`<testsuite [^>]*\\b${count}="(\\d+)"`).exec(text)?.[1]), 0);
  return { tests: sum('tests'), skipped: sum('skipped') };
}
