import { chmodSync, existsSync, rmSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { crc32 } from 'node:zlib';
import { type BatchLimits, type QueueDamage, type Queue, type Taken } from './queue.js';
import { spooledBytesOf, type MessageToSpool, type SpooledMessage } from './spooled-message.js';

type Row = Omit<MessageToSpool, 'key'> & { key: Uint8Array | string; seq: number; at: number; crc: number };

/** Pages of log, 1 MiB, after which SQLite makes a checkpoint while the disk is full. */
const fewCheckpointPages = 256;

/** Creates the tables if the process died before it created them. */
const schema = `
  CREATE TABLE IF NOT EXISTS messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, topic TEXT NOT NULL, key BLOB NOT NULL,
    value ANY NOT NULL, headers TEXT NOT NULL, crc INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS intent (id INTEGER PRIMARY KEY CHECK (id = 1), tried INTEGER NOT NULL) STRICT;
  INSERT OR IGNORE INTO intent VALUES (1, 0);`;

/**
 * The queue of a process of an older version, in a SQLite file; it can only be emptied. `intent.tried` is the last
 * message that may be in Kafka already. SQLite's lock on the file ends with the process that holds it.
 */
export class LegacyFile implements Queue {
  private readonly select: StatementSync;
  private readonly first: StatementSync;
  private readonly remove: StatementSync;
  private readonly saveIntent: StatementSync;
  private tried: number;
  rows: number;

  private constructor(
    private readonly db: DatabaseSync,
    readonly path: string,
  ) {
    this.select = db.prepare('SELECT seq, at, topic, key, value, headers, crc FROM messages ORDER BY seq');
    this.first = db.prepare('SELECT at FROM messages ORDER BY seq LIMIT 1');
    this.remove = db.prepare('DELETE FROM messages WHERE seq <= ?');
    this.saveIntent = db.prepare('UPDATE intent SET tried = ?');
    this.tried = this.numberOf('SELECT tried AS n FROM intent');
    // Messages leave in order, so there are no gaps; counting the rows would read the whole file.
    this.rows = this.numberOf(
      'SELECT coalesce((SELECT max(seq) FROM messages) - (SELECT min(seq) FROM messages) + 1, 0) AS n',
    );
  }

  /**
   * Opens the file and locks it.
   * @throws an error of node:sqlite; `isLocked` tells whether the file belongs to a live process.
   */
  static open(path: string): LegacyFile {
    letOnlyUs(path);
    // `rw`: SQLite must not create the file again when its owner removes it at this moment.
    const url = pathToFileURL(path);
    url.search = 'mode=rw';
    const db = new DatabaseSync(url, { timeout: 0 });
    try {
      // FULL: a commit is on the disk. EXCLUSIVE: the lock is kept, and no shared memory is used.
      db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
      db.exec(`BEGIN EXCLUSIVE; ${schema} COMMIT`);
      if (!existsSync(path)) throw new Error('the file was removed by the process that held it');
      return new LegacyFile(db, path);
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /** Space that messages take, in bytes. */
  get usedBytes(): number {
    const pages = this.numberOf(
      'SELECT page_count - freelist_count AS n FROM pragma_page_count, pragma_freelist_count',
    );
    return pages * pageBytesOf(this.db);
  }

  /** Time at which the oldest message was accepted; undefined when there is none. */
  get oldestAt(): number | undefined {
    return this.rows === 0 ? undefined : (this.first.get() as { at: number } | undefined)?.at;
  }

  /** Forgets the messages that were taken, then takes the next ones; their intent is on the disk when this returns. */
  take(forgetThrough: number, limits: BatchLimits): Taken {
    let removed = 0;
    let tried = this.tried;
    const taken = this.inTransaction(() => {
      if (forgetThrough > 0) removed = Number(this.remove.run(forgetThrough).changes);
      const next = this.read(limits);
      const last = next.messages.at(-1)?.seq ?? 0;
      if (last > tried) {
        tried = last;
        this.saveIntent.run(last);
      }
      return next;
    });
    this.rows -= removed;
    // Rows that were removed by hand leave gaps, so the count can be too high.
    if (taken.through === 0) this.rows = 0;
    this.tried = tried;
    return taken;
  }

  /** Releases the space of the log on a full disk, as far as possible, and keeps the log short from now on. */
  saveRoom(): void {
    this.db.exec(`PRAGMA wal_autocheckpoint = ${fewCheckpointPages}`);
    try {
      this.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The next operation shows whether there is room.
    }
  }

  /**
   * Closes the file. An empty file is removed first, while it is locked: no other process can have begun to use it, and
   * a process that waited for the lock finds that the file is gone.
   */
  close(): void {
    if (this.rows === 0) {
      // The file is removed before its log, without which it may hold deleted messages. Its name is never used again.
      rmSync(this.path, { force: true });
      rmSync(`${this.path}-wal`, { force: true });
    }
    this.db.close();
  }

  private read({ messages: maxMessages, bytes: maxBytes }: BatchLimits): Taken {
    const messages: SpooledMessage[] = [];
    const damages: QueueDamage[] = [];
    let bytes = 0;
    let through = 0;
    for (const one of this.select.iterate()) {
      const { crc, key, ...rest } = one as unknown as Row;
      const message = { ...rest, key: Buffer.from(key).toString() };
      const { seq } = message;
      bytes += spooledBytesOf(message);
      if (through > 0 && (messages.length + damages.length >= maxMessages || bytes > maxBytes)) break;
      if (checksum(message, message.at) === crc) messages.push({ ...message, wasTried: seq <= this.tried });
      else damages.push({ first: seq, last: seq, read: () => Buffer.from(JSON.stringify(message)) });
      through = seq;
    }
    return { messages, damages, through };
  }

  private inTransaction<T>(work: () => T): T {
    this.db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.db.exec('COMMIT');
      return result;
    } catch (error) {
      // On a full disk SQLite has rolled back by itself.
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
      throw error;
    }
  }

  private numberOf(query: string): number {
    return (this.db.prepare(query).get() as { n: number } | undefined)?.n ?? 0;
  }
}

function letOnlyUs(path: string): void {
  try {
    chmodSync(path, 0o600);
  } catch {
    // The file belongs to another user.
  }
}

const pageBytesOf = (db: DatabaseSync): number =>
  (db.prepare('PRAGMA page_size').get() as { page_size: number } | undefined)?.page_size ?? 4_096;

function checksum({ topic, key, value, headers }: MessageToSpool, at: number): number {
  return crc32(value, crc32(`${at}\n${topic}\n${key}\n${headers}\n`));
}
