import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DemoError } from './demo-error.js';

/** What the demo needs to know of the stack that `npm start` runs. */
export interface LocalStack {
  readonly pid: number;
  readonly gateway: { readonly url: string };
  readonly clickhouse: { readonly url: string; readonly database: string };
  readonly source: { readonly sourceIdentifier: string; readonly apiKey: string };
  readonly pushTokenKeys: string;
}

/** @throws DemoError when no stack runs there. */
export function readLocalStack(dataDir: string): LocalStack {
  const file = join(dataDir, 'local.json');
  const stack = parse(file);
  if (stack && isAlive(stack.pid)) return stack;
  throw new DemoError(`No Sluice is running here (${file}): start it with npm start, in another terminal.`);
}

function parse(file: string): LocalStack | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as LocalStack;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It is there, and another user's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
