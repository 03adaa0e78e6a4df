import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** A reader sees the old value or the new one, never a part. For the owner's eyes only: these files may hold keys. */
export function writeJson(path: string, value: unknown): void {
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

/** Undefined when there is no such file, or what it holds is not JSON. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
