import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DemoError } from './demo-error.js';

/** The part of `local.json`, written by `npm start`, that the demo needs. */
export interface RunningStack {
  readonly pid: number;
  readonly gateway: { readonly url: string };
  readonly clickhouse: { readonly url: string; readonly database: string };
  readonly source: { readonly sourceIdentifier: string; readonly apiKey: string };
  readonly pushTokenKeys: string;
}

/** @throws DemoError when no stack runs with this data folder. */
export function readRunningStack(dataDir: string): RunningStack {
  const file = join(dataDir, 'local.json');
  const stack = readStackFile(file);
  if (stack && isAlive(stack.pid)) return stack;
  throw new DemoError(`No Sluice is running here (${file}): start it with npm start, in another terminal.`);
}

function readStackFile(file: string): RunningStack | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunningStack;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
