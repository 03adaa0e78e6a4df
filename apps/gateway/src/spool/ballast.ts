import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeSynced } from './write-synced.js';

/** Enough for eight processes: on a full disk each keeps its log at 1 MiB (`SpoolFile.saveRoom`). */
const ballastBytes = 8 * 1024 * 1024;

/**
 * Space that is kept on the disk so that a spool can be emptied when the disk is full: to forget a message, SQLite has
 * to write. While it is given away nothing new may be written.
 */
export class Ballast {
  private readonly path: string;
  private readonly unfinished: string;

  /** One for all processes of the folder, each of which has a name. */
  constructor(folder: string, process: string) {
    this.path = join(folder, 'ballast');
    this.unfinished = `${this.path}.${process}`;
  }

  giveAway(): void {
    rmSync(this.path, { force: true });
  }

  /** @throws when there is no room for it. */
  restore(): void {
    if (existsSync(this.path)) return;
    const { unfinished } = this;
    try {
      // Random, so that no file system saves the space.
      writeSynced(unfinished, randomBytes(ballastBytes), 'w');
    } catch (error) {
      rmSync(unfinished, { force: true });
      throw error;
    }
    renameSync(unfinished, this.path);
  }
}
