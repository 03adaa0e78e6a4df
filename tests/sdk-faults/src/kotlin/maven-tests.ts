import { execFile } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { kotlinModule } from './class-path.js';

const run = promisify(execFile);
const maxBuffer = 64 * 1_024 * 1_024;

/** Runs Maven in the Kotlin SDK. Resolves with what it printed if it fails, else with undefined. */
export async function mavenFailure(...args: readonly string[]): Promise<string | undefined> {
  try {
    await run('mvn', ['-B', '-ntp', '-q', '-f', join(kotlinModule, 'pom.xml'), ...args], { maxBuffer });
    return undefined;
  } catch (error) {
    const { stdout = '' } = error as { stdout?: string };
    return `mvn ${args.join(' ')}: ${(error as Error).message.slice(0, 200)}\n${stdout.slice(0, 20_000)}`;
  }
}

export interface TestCounts {
  readonly tests: number;
  readonly failures: number;
  readonly errors: number;
  readonly skipped: number;
}

const reportsFolder = (module: string): string => join(kotlinModule, module, 'target', 'surefire-reports');

/** Removes the reports of earlier runs. */
export async function forgetTests(module: string): Promise<void> {
  await rm(reportsFolder(module), { recursive: true, force: true });
}

/** Counts the tests of the last run of a module. */
export async function countTests(module: string): Promise<TestCounts> {
  const folder = reportsFolder(module);
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.xml'));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const sum = (count: string): number =>
    texts.reduce(
      (total, text) => total + Number(new RegExp(`<testsuite [^>]*\\b${count}="(\\d+)"`).exec(text)?.[1]),
      0,
    );
  return { tests: sum('tests'), failures: sum('failures'), errors: sum('errors'), skipped: sum('skipped') };
}
