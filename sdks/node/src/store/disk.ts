import { closeSync, fdatasync, fsync, openSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { type FrameKind } from './frames.js';

/** Writes to files. Tests replace it by a disk that is full. */
export interface Disk {
  /** Appends frames; `kind` is that of a single frame, and `M` for several. Returns the number of written bytes. */
  write(fd: number, bytes: Buffer, kind: FrameKind): number;
  /** Resolves when the content of a file outlives a loss of power. */
  sync(fd: number): Promise<void>;
  /** Resolves when the names in a folder outlive a loss of power. */
  syncFolder(folder: string): Promise<void>;
}

const fsyncAsync = promisify(fsync);

export const realDisk: Disk = {
  write: (fd, bytes) => writeSync(fd, bytes),
  sync: promisify(fdatasync),
  async syncFolder(folder) {
    try {
      const fd = openSync(folder, 'r');
      await fsyncAsync(fd).finally(() => closeSync(fd));
    } catch {
      // Windows refuses this, because it makes names permanent itself.
    }
  },
};
