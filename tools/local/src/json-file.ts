import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Replaces a file atomically. Only the owner can read it, because it can hold keys. */
export function writeJson(path: string, value: unknown): void {
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

/** Undefined when the file does not exist or is not JSON. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
