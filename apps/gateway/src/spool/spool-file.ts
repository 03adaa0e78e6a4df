import { chmodSync, closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { bytesOf, type MessageToSpool, type SpooledMessage } from './spooled-message.js';

/** What may be taken from a file at a time. One message is always taken, however large it is. */
export interface BatchLimits {
  readonly messages: number;
  readonly bytes: number;
}

/** What comes next, and rows that the disk did not keep as they were written. */
export interface Taken {
  readonly messages: readonly SpooledMessage[];
  readonly damaged: readonly SpooledMessage[];
}

type Row = Omit<MessageToSpool, 'key'> & { key: Uint8Array | string; seq: number; at: number; crc: number };

const checkpointPages = 4_096;
/** The same while the disk is full: 1 MiB. */
const fewCheckpointPages = 256;
const probeBytes = 64 * 1024;
/** A file that is larger than this when it runs empty gives its space back. */
const shrinkAboveBytes = 16 * 1024 * 1024;

// A key is what a client sent, and may hold a NUL, at which SQLite and its tools end a TEXT: it is bytes.
// `intent.tried`: messages up to that place may be in Kafka already. It is written before they are sent, so whoever
// opens the file after a crash knows which of them to mark.
const schema = `
  CREATE TABLE IF NOT EXISTS messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, topic TEXT NOT NULL, key BLOB NOT NULL,
    value ANY NOT NULL, headers TEXT NOT NULL, crc INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS intent (id INTEGER PRIMARY KEY CHECK (id = 1), tried INTEGER NOT NULL) STRICT;
  INSERT OR IGNORE INTO intent VALUES (1, 0);`;

/**
 * A queue of messages in one SQLite file, of which this process is the only user: SQLite's lock on it ends with the
 * process. Every change is on the disk when its method returns. Blocks while it works: it belongs into a thread.
 */
export class SpoolFile {
  private readonly insert: StatementSync;
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
    this.insert = db.prepare('INSERT INTO messages (at, topic, key, value, headers, crc) VALUES (?, ?, ?, ?, ?, ?)');
    this.select = db.prepare('SELECT seq, at, topic, key, value, headers, crc FROM messages ORDER BY seq');
    this.first = db.prepare('SELECT at FROM messages ORDER BY seq LIMIT 1');
    this.remove = db.prepare('DELETE FROM messages WHERE seq <= ?');
    this.saveIntent = db.prepare('UPDATE intent SET tried = ?');
    this.tried = this.numberOf('SELECT tried AS n FROM intent');
    // Messages leave in their order, so there are no holes; to count them would be to read the whole file.
    this.rows = this.numberOf(
      'SELECT coalesce((SELECT max(seq) FROM messages) - (SELECT min(seq) FROM messages) + 1, 0) AS n',
    );
  }

  /**
   * Opens or makes the file and locks it.
   * @throws an error of node:sqlite; `isLocked` tells when it belongs to a process that lives.
   */
  static open(path: string, maxBytes: number): SpoolFile {
    makePrivately(path);
    const db = new DatabaseSync(path, { timeout: 0 });
    try {
      // FULL: a commit is on the disk. EXCLUSIVE: the lock is kept, and no memory is shared with others. The log is
      // carried over at 16 MiB: each time costs two fsyncs more, in which requests wait.
      db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
      db.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`);
      db.exec(`PRAGMA max_page_count = ${Math.max(16, Math.floor(maxBytes / pageBytesOf(db)))}`);
      db.exec(`BEGIN EXCLUSIVE; ${schema} COMMIT`);
      if (!existsSync(path)) throw new Error('the file was removed by the process that held it');
      return new SpoolFile(db, path);
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /** False of a file of an older version, which can only be emptied: its keys are TEXT. */
  get takesMore(): boolean {
    return this.numberOf(`SELECT type = 'BLOB' AS n FROM pragma_table_info('messages') WHERE name = 'key'`) === 1;
  }

  /** Space that messages take, in bytes. */
  get usedBytes(): number {
    const pages = this.numberOf(
      'SELECT page_count - freelist_count AS n FROM pragma_page_count, pragma_freelist_count',
    );
    return pages * pageBytesOf(this.db);
  }

  /** When the oldest message was accepted; undefined when there is none. */
  get oldestAt(): number | undefined {
    return this.rows === 0 ? undefined : (this.first.get() as { at: number } | undefined)?.at;
  }

  append(messages: readonly MessageToSpool[], at: number): void {
    this.inTransaction(() => {
      for (const message of messages) {
        const { topic, key, value, headers } = message;
        this.insert.run(at, topic, Buffer.from(key), value, headers, checksum(message, at));
      }
    });
    this.rows += messages.length;
  }

  /** Forgets what was taken, then takes what comes next: its intent is on the disk when this returns. */
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
    // Whoever removed rows by hand left a hole.
    if (taken.messages.length + taken.damaged.length === 0) this.rows = 0;
    this.tried = tried;
    if (this.rows === 0) this.shrink();
    return taken;
  }

  /** Writes something new and forgets it, so that there is known to be room. It must be new: what is there has its room. */
  probe(): void {
    this.db.exec('CREATE TABLE IF NOT EXISTS probe (filler BLOB NOT NULL) STRICT');
    try {
      this.db.exec(`INSERT INTO probe VALUES (zeroblob(${probeBytes}))`);
    } finally {
      this.db.exec('DELETE FROM probe');
    }
  }

  /** For a full disk: gives the space of the log back, as far as that can be done, and keeps the log short from now on. */
  saveRoom(): void {
    this.db.exec(`PRAGMA wal_autocheckpoint = ${fewCheckpointPages}`);
    try {
      this.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // What is tried next says whether there is room.
    }
  }

  /**
   * Lets go of the file. One that is empty is removed first, while it is locked: nobody can have begun to fill it, and
   * who waited for the lock finds that the file is gone.
   */
  close(): void {
    if (this.rows === 0) rmSync(this.path, { force: true });
    this.db.close();
  }

  private read({ messages: maxMessages, bytes: maxBytes }: BatchLimits): Taken {
    const messages: SpooledMessage[] = [];
    const damaged: SpooledMessage[] = [];
    let bytes = 0;
    for (const one of this.select.iterate()) {
      const { crc, key, ...rest } = one as unknown as Row;
      const message = { ...rest, key: Buffer.from(key).toString() };
      const count = messages.length + damaged.length;
      bytes += bytesOf(message);
      if (count > 0 && (count >= maxMessages || bytes > maxBytes)) break;
      const spooled = { ...message, wasTried: message.seq <= this.tried };
      if (checksum(message, message.at) === crc) messages.push(spooled);
      else damaged.push(spooled);
    }
    return { messages, damaged };
  }

  private shrink(): void {
    try {
      if (statSync(this.path).size > shrinkAboveBytes) this.db.exec('VACUUM');
    } catch {
      // The space stays with the file, which uses it again.
    }
  }

  private inTransaction<T>(work: () => T): T {
    this.db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.db.exec('COMMIT');
      return result;
    } catch (error) {
      // SQLite itself rolls back when the disk is full.
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
      throw error;
    }
  }

  private numberOf(query: string): number {
    return (this.db.prepare(query).get() as { n: number } | undefined)?.n ?? 0;
  }
}

/** SQLite gives its log the mode that the file has. */
function makePrivately(path: string): void {
  try {
    // Only one that is new is opened here: to close a file drops the locks that this process has on it.
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    if (existsSync(path)) letOnlyUs(path);
  }
}

function letOnlyUs(path: string): void {
  try {
    chmodSync(path, 0o600);
  } catch {
    // It belongs to another user.
  }
}

const pageBytesOf = (db: DatabaseSync): number =>
  (db.prepare('PRAGMA page_size').get() as { page_size: number } | undefined)?.page_size ?? 4_096;

function checksum({ topic, key, value, headers }: MessageToSpool, at: number): number {
  return crc32(value, crc32(`${at}\n${topic}\n${key}\n${headers}\n`));
}
