import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { syncFolder } from './write-synced.js';

/** Makes the folder if there is none. What is in it came from clients: it is for this user only. */
export function makePrivate(folder: string): void {
  const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The name of each folder that was made is in the one above.
  for (let path = resolve(folder); made !== undefined && path.length >= resolve(made).length; path = dirname(path)) {
    syncFolder(dirname(path));
  }
  try {
    chmodSync(folder, 0o700);
  } catch {
    // It belongs to another user, who lets us write: no reason to lose messages.
  }
}

/** False of a file that is gone. */
export function isOlderThan(path: string, ms: number): boolean {
  // Both are times of the wall clock. After a jump of it a file stays, or goes, an hour sooner or later.
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > ms;
}
