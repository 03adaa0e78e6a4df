import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { syncFolder } from './write-synced.js';

/** Makes the folder if there is none. What is in it came from clients: it is for this user only. */
export function makePrivate(folder: string): void {
  const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The entry of each new folder is in its parent: sync that.
  for (let path = resolve(folder); made !== undefined && path.length >= resolve(made).length; path = dirname(path)) {
    syncFolder(dirname(path));
  }
  try {
    chmodSync(folder, 0o700);
  } catch {
    // It belongs to another user, who lets us write: no reason to lose messages.
  }
}

/** False if the file is gone. */
export function isOlderThan(path: string, ms: number): boolean {
  // Both times are of the wall clock: a jump of it makes files stay longer, or go sooner.
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > ms;
}
