import { chmodSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from './write-synced.js';

/** Makes the folder if there is none. What is in it came from clients: it is for this user only. */
export function makePrivate(folder: string): void {
  const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined) syncFolder(dirname(folder));
  try {
    chmodSync(folder, 0o700);
  } catch {
    // It belongs to another user, who lets us write: no reason to lose messages.
  }
}
