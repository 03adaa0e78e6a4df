import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type DemoSource } from './demo-source.js';
import { writeJson } from './json-file.js';

/** A service without a public port; `url` is its management URL. */
export interface ConsumerEntry {
  readonly url: string;
  readonly pid: number;
}

/** Content of `<data folder>/local.json`: describes a running stack to the operator, the demo and tests. */
export interface LocalEntry {
  /** Process id of the supervisor. */
  readonly pid: number;
  readonly gateway: { readonly url: string; readonly managementUrl: string; readonly pid: number };
  readonly console: { readonly url: string; readonly managementUrl: string; readonly pid: number };
  readonly tracking: ConsumerEntry;
  readonly catalog: ConsumerEntry;
  readonly pushInteraction: ConsumerEntry;
  /** `pid` is null for a server that this stack did not start. */
  readonly kafka: { readonly brokers: readonly string[]; readonly pid: number | null };
  readonly clickhouse: { readonly url: string; readonly database: string; readonly pid: number | null };
  /** The example shop, which the supervisor serves itself. */
  readonly shop: { readonly url: string };
  readonly source: DemoSource;
  /** PUSH_TOKEN_KEYS of the gateway, so that the operator seals tokens that the gateway can open. */
  readonly pushTokenKeys: string;
  /** PRIVACY_KEY of all services, so that the operator suppresses people under the same key. */
  readonly privacyKey: string;
}

const localFile = (dataDir: string): string => join(dataDir, 'local.json');

export function writeLocalFile(dataDir: string, entry: LocalEntry): void {
  writeJson(localFile(dataDir), entry);
}

/** Removes the file, which exists only while every process it names runs or is being restarted. */
export function removeLocalFile(dataDir: string): void {
  rmSync(localFile(dataDir), { force: true });
}
