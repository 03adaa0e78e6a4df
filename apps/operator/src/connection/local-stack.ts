import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Addresses of the servers of a stack that was started with `npm start`. */
export interface StackAddresses {
  pid: number;
  kafka: { brokers: string[] };
  clickhouse: { url: string; database: string };
  gateway?: { url: string; managementUrl?: string };
  /** The console, whose `url` is its address in the browser. */
  console?: { url: string };
  /** Management ports of the consumers. */
  tracking?: { url: string };
  catalog?: { url: string };
  pushInteraction?: { url: string };
  /** The demo source, whose key is not secret. */
  source?: { sourceIdentifier: string; apiKey: string };
  /** Keys of the stack's gateway. */
  pushTokenKeys?: string;
  privacyKey?: string;
}

export const localStackFile = (dataDir: string): string => join(dataDir, 'local.json');

/** Finds the stack whose file is in the folder, if it is still running: a crash leaves the file behind. */
export function findLocalStack(dataDir: string): StackAddresses | undefined {
  const stack = readJson(localStackFile(dataDir));
  return isLocalStack(stack) && isAlive(stack.pid) ? stack : undefined;
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function isLocalStack(value: unknown): value is StackAddresses {
  const { pid, kafka, clickhouse } = (value ?? {}) as Partial<StackAddresses>;
  const texts = [clickhouse?.url, clickhouse?.database, ...(Array.isArray(kafka?.brokers) ? kafka.brokers : [null])];
  return Number.isSafeInteger(pid) && texts.length > 2 && texts.every((text) => typeof text === 'string');
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM means that the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
