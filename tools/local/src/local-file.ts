import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type DemoSource } from './demo-source.js';
import { writeJson } from './json-file.js';

/** A service without a public port: its url is that of its management port. */
export interface ConsumerEntry {
  readonly url: string;
  readonly pid: number;
}

/** What `<data folder>/local.json` tells the operator, tests and the bench about a running stack. */
export interface LocalEntry {
  /** Of the supervisor. */
  readonly pid: number;
  readonly gateway: { readonly url: string; readonly managementUrl: string; readonly pid: number };
  readonly tracking: ConsumerEntry;
  readonly catalog: ConsumerEntry;
  readonly pushInteraction: ConsumerEntry;
  /** `pid` is null for a server that was running already. */
  readonly kafka: { readonly brokers: readonly string[]; readonly pid: number | null };
  readonly clickhouse: { readonly url: string; readonly database: string; readonly pid: number | null };
  readonly source: DemoSource;
  /** What the gateway has as PUSH_TOKEN_KEYS, so that the operator seals tokens that open there. */
  readonly pushTokenKeys: string;
}

const localFile = (dataDir: string): string => join(dataDir, 'local.json');

export function writeLocalFile(dataDir: string, entry: LocalEntry): void {
  writeJson(localFile(dataDir), entry);
}

/** The file is there only while everything it names is, or is being restarted. */
export function removeLocalFile(dataDir: string): void {
  rmSync(localFile(dataDir), { force: true });
}
