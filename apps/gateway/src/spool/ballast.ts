import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeSynced } from './write-synced.js';

/** Number of blocks, 32 MiB: room for one batch of messages in the refused file. */
const ballastBlocks = 32;
const blockBytes = 1024 * 1024;

/**
 * Space reserved on the disk, so that a spool can be emptied when the disk is full: messages that Kafka refuses must be
 * written to another file. While the space is released, the spool takes no new messages.
 */
export class Ballast {
  private readonly path: string;

  /** All processes that use the folder share one ballast. */
  constructor(folder: string) {
    this.path = join(folder, 'ballast');
  }

  release(): void {
    rmSync(this.path, { force: true });
  }

  /**
   * @param ownFolder folder of this process; another process that takes it over removes unfinished files.
   * @throws when there is no room for the ballast.
   */
  restore(ownFolder: string): void {
    if (existsSync(this.path)) return;
    const unfinished = join(ownFolder, 'ballast.tmp');
    try {
      // Random bytes cannot be compressed; repeats are too far apart for a file system to find.
      const block = randomBytes(blockBytes);
      writeSynced(unfinished, Buffer.concat(Array.from({ length: ballastBlocks }, () => block)), 'w');
    } catch (error) {
      rmSync(unfinished, { force: true });
      throw error;
    }
    renameSync(unfinished, this.path);
  }
}
