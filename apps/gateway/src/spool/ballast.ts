import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isOlderThan } from './private-folder.js';
import { writeSynced } from './write-synced.js';

/**
 * Number of blocks, 32 MiB: room for one batch of messages in the refused file, and for the checkpoint of a SQLite file
 * of an older version, which needs twice the size of its log.
 */
const ballastBlocks = 32;
const blockBytes = 1024 * 1024;
/** Age at which an unfinished file is stale: writing one takes seconds. */
const staleMs = 60_000;

/**
 * Space reserved on the disk, so that a spool can be emptied when the disk is full: messages that Kafka refuses must be
 * written to another file. While the space is released, the spool takes no new messages.
 */
export class Ballast {
  private readonly path: string;

  /** All processes that use the folder share one ballast. */
  constructor(private readonly folder: string) {
    this.path = join(folder, 'ballast');
  }

  hand(): void {
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

  /** Removes unfinished files that crashed processes of older versions left. */
  sweep(): void {
    for (const name of readdirSync(this.folder).filter((one) => one.startsWith('ballast.'))) {
      const path = join(this.folder, name);
      if (isOlderThan(path, staleMs)) rmSync(path, { force: true });
    }
  }
}
