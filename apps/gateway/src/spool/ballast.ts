import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

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

  get isThere(): boolean {
    return existsSync(this.path);
  }

  giveAway(): void {
    rmSync(this.path, { force: true });
  }

  /** @throws when there is no room for it. */
  restore(): void {
    if (this.isThere) return;
    const { unfinished } = this;
    const file = openSync(unfinished, 'w', 0o600);
    try {
      // Random, so that no file system saves the space.
      writeSync(file, randomBytes(ballastBytes));
      fsyncSync(file);
    } catch (error) {
      rmSync(unfinished, { force: true });
      throw error;
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, this.path);
  }
}
