import { LocalStack } from '@sluice/testing';
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
  return () => stack.stop();
}
