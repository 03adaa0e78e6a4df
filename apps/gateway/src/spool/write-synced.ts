import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Writes to the end of the file, or as the whole of it; it and its name are on the disk when this returns. When it
 * throws, what was in the file before is in it, and nothing else: it must be the file of one process.
 */
export function writeSynced(path: string, content: string | Uint8Array, flag: 'a' | 'w'): void {
  const file = openSync(path, flag, 0o600);
  try {
    const { size } = fstatSync(file);
    try {
      // Unlike one write, it goes on until all is written or an error says why not.
      writeFileSync(file, content);
      fsyncSync(file);
    } catch (error) {
      cutTo(size, file);
      throw error;
    }
    if (size === 0) syncFolder(dirname(path));
  } finally {
    closeSync(file);
  }
}

/** Writes all bytes, with several writes if necessary. */
export function writeAll(file: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length;) {
    done += writeSync(file, bytes, done, bytes.length - done, position + done);
  }
}

/** Names in the folder are on the disk when this returns. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function cutTo(size: number, file: number): void {
  try {
    ftruncateSync(file, size);
  } catch {
    // Why the write failed says more.
  }
}
