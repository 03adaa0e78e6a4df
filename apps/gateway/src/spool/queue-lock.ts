import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/** The folder belongs to a live process. */
export class LockedError extends Error {
  override readonly name = 'LockedError';
}

const busy = 5;

/**
 * The lock of a folder: a POSIX lock on an empty file, which the kernel releases when the process ends. Node has no API
 * for such locks, but its built-in SQLite takes one.
 */
export class QueueLock {
  private constructor(private readonly db: DatabaseSync) {}

  /** @throws LockedError when another process, or another queue of this process, holds the lock. */
  static take(folder: string): QueueLock {
    const path = join(folder, 'lock');
    makeOnce(path);
    // `rw`: SQLite must not create the file in a folder that its owner removes at this moment.
    const url = pathToFileURL(path);
    url.search = 'mode=rw';
    const db = new DatabaseSync(url, { timeout: 0 });
    try {
      db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
      // The previous owner may have removed the folder while it held the lock; the name is never used again.
      if (!existsSync(path)) throw new LockedError('the folder was removed by the process that held it');
      return new QueueLock(db);
    } catch (error) {
      db.close();
      if ((error as { errcode?: unknown }).errcode === busy) throw new LockedError('another process holds the folder');
      throw error;
    }
  }

  release(): void {
    this.db.close();
  }
}

function makeOnce(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    // An existing file must not be opened here: closing it would drop the locks of this process on it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
