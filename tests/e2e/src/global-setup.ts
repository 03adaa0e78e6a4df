import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Local, LocalStack, runOperator } from '@sluice/testing';
import { type TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Data folder of the running stack; its `local.json` has all addresses. */
    dataDir: string;
  }
}

/** Starts the stack of `npm start`, once for all end-to-end tests. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stack = await LocalStack.start();
  project.provide('dataDir', stack.dataDir);
  await allowNames(stack.dataDir);
  return () => stack.stop();
}

/** Tests that generate names share a source; together they use more than a source may by default. */
async function allowNames(dataDir: string): Promise<void> {
  const { source } = JSON.parse(readFileSync(join(dataDir, 'local.json'), 'utf8')) as Local;
  const limit = ['sources', 'limit', source.sourceIdentifier, '--names-per-day', '1000000'];
  await runOperator(limit, { SLUICE_DATA_DIR: dataDir });
}
