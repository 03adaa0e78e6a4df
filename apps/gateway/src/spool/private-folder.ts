import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { syncFolder } from './write-synced.js';

/** Creates the folder if it is missing. Only this user may read it, because it contains data of clients. */
export function makePrivate(folder: string): void {
  const createdFolder = mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The entry of a new folder is in its parent, so the parent is synced.
  for (
    let path = resolve(folder);
    createdFolder !== undefined && path.length >= resolve(createdFolder).length;
    path = dirname(path)
  ) {
    syncFolder(dirname(path));
  }
  try {
    chmodSync(folder, 0o700);
  } catch {
    // The folder belongs to another user but is writable: messages must not be lost because of its mode.
  }
}
