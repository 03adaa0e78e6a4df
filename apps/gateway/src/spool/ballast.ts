import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isOlderThan } from './private-folder.js';
import { writeSynced } from './write-synced.js';

/**
 * Number of blocks: room for one batch of messages in the refused file, and for the checkpoint of a SQLite file of an
 * older version, which needs twice its log: 32 MiB.
 */
const ballastBlocks = 32;
const blockBytes = 1024 * 1024;
/** Age at which a draft is stale: writing one takes seconds. */
const staleMs = 60_000;

/**
 * Space that is kept on the disk so that a spool can be emptied when the disk is full: messages that Kafka refuses have
 * to be written elsewhere. While it is given away the spool takes no new messages.
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

  /** Removes drafts that crashed processes of older versions left. */
  sweep(): void {
    for (const name of readdirSync(this.folder).filter((one) => one.startsWith('ballast.'))) {
      const path = join(this.folder, name);
      if (isOlderThan(path, staleMs)) rmSync(path, { force: true });
    }
  }
}
