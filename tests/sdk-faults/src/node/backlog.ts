import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Batches that may wait in a directory before its processes pause, so that the backlog itself never fills the disk. */
export const maxWaiting = 400;

/** Files of the batches in a directory. */
export function waitingBatches(directory: string): string[] {
  const root = join(directory, 'batches');
  try {
    const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
    return names.filter((name) => name.endsWith('.batch')).map((name) => join(root, name));
  } catch {
    // No process has made the folder yet, or one that ended has removed it since then.
    return [];
  }
}

/** A line for each batch: its file, size and age. */
export const batchesInWords = (files: readonly string[]): string[] =>
  files.map((file) => {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats
      ? `left: ${file}, ${stats.size} bytes, written ${Math.round((Date.now() - stats.mtimeMs) / 1_000)} s ago`
      : `left: ${file}, gone since then`;
  });
