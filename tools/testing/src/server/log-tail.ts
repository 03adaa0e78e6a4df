import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const maxBytes = 16_384;

/** The last lines of a log file, at most 16 KiB; empty if the file does not exist. */
export function logTail(path: string, lines = 20): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return '';
  }
  try {
    const { size } = fstatSync(file);
    const buffer = Buffer.alloc(Math.min(size, maxBytes));
    readSync(file, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString().trimEnd().split('\n').slice(-lines).join('\n');
  } finally {
    closeSync(file);
  }
}
