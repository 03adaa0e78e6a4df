import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isOlderThan } from './private-folder.js';
import { writeSynced } from './write-synced.js';

/**
 * More than one batch of messages takes in the refused file. A SQLite file of an older version needs twice the log that
 * has to be carried over into it before that can be cut: 32 MiB.
 */
const ballastBlocks = 32;
const blockBytes = 1024 * 1024;
/** To write it takes seconds, and to write it in vain does no harm. */
const staleMs = 60_000;

/**
 * Space that is kept on the disk so that a spool can be emptied when the disk is full: messages that Kafka refuses have
 * to be written elsewhere. While it is given away nothing new may be written.
 */
export class Ballast {
  private readonly path: string;

  /** One for all processes of the folder. */
  constructor(private readonly folder: string) {
    this.path = join(folder, 'ballast');
  }

  giveAway(): void {
    rmSync(this.path, { force: true });
  }

  /**
   * @param ownFolder a folder of this process, which is swept when another one gets it.
   * @throws when there is no room for it.
   */
  restore(ownFolder: string): void {
    if (existsSync(this.path)) return;
    const unfinished = join(ownFolder, 'ballast.tmp');
    try {
      // Random, so that no file system saves the space; none looks back as far as a block is long.
      const block = randomBytes(blockBytes);
      writeSynced(unfinished, Buffer.concat(Array.from({ length: ballastBlocks }, () => block)), 'w');
    } catch (error) {
      rmSync(unfinished, { force: true });
      throw error;
    }
    renameSync(unfinished, this.path);
  }

  /** Removes what processes of older versions that died while they wrote it have left. */
  sweep(): void {
    for (const name of readdirSync(this.folder).filter((one) => one.startsWith('ballast.'))) {
      const path = join(this.folder, name);
      if (isOlderThan(path, staleMs)) rmSync(path, { force: true });
    }
  }
}
