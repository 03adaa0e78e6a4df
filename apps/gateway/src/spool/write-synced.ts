import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Appends to the file, or writes the whole file. Content and name are on the disk when this returns. After a failed
 * write the file is cut: to its previous size (`a`), or to nothing (`w`). So no other process may write to it.
 */
export function writeSynced(path: string, content: string | Uint8Array, flag: 'a' | 'w'): void {
  const file = openSync(path, flag, 0o600);
  try {
    const { size } = fstatSync(file);
    try {
      // Unlike a single write, this continues until all bytes are written or an error occurs.
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
  for (let writtenBytes = 0; writtenBytes < bytes.length;) {
    writtenBytes += writeSync(file, bytes, writtenBytes, bytes.length - writtenBytes, position + writtenBytes);
  }
}

/** Syncs a folder: the names in it are on the disk when this returns. */
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
    // The error of the write is thrown instead.
  }
}
