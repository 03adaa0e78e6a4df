import { randomBytes } from 'node:crypto';
import { closeSync, fdatasyncSync, ftruncateSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { QueueCursor } from './cursor.js';
import { encodeFrames, frameBytes, segmentSecret } from './frame.js';
import { type Holder, findHolder } from './holder.js';
import { Holdings } from './holdings.js';
import { makePrivate } from './private-folder.js';
import { type BatchLimits, type QueueBatch } from './queue-batch.js';
import { QueueLock } from './queue-lock.js';
import { QueueReader } from './queue-reader.js';
import { isSegmentName, QueueSegment, segmentName } from './segment.js';
import { spooledBytes, type MessageToSpool, type SpooledMessage } from './spooled-message.js';
import { syncFolder, writeAll, writeSynced } from './write-synced.js';

/** The queue has reached its limit of bytes. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
  readonly code = 'ENOSPC';
}

/** Size at which the next segment begins. */
const maxSegmentBytes = 8 * 1024 * 1024;
const segmentsPerQueue = 8;
/** Size up to which an empty queue keeps its last segment. */
const keptBytes = 1024 * 1024;
const probeBytes = 64 * 1024;

/** Called with each change of the bytes of a holder. */
type OnHeld = (holder: Holder, bytes: number) => void;
const ignoreHeld: OnHeld = () => undefined;

/** The segment that is written to. */
interface Open {
  readonly segment: QueueSegment;
  readonly file: number;
}

/**
 * Messages on the disk in order, in a folder whose path no other queue ever has. The folder holds a `lock`, a `cursor`
 * (the progress) and segments. Messages are appended to the last segment; a segment is removed when all its messages
 * are forgotten. Every change is on the disk when its method returns. Methods block, so they must run in a thread of
 * their own.
 */
export class MessageQueue {
  private readonly reader: QueueReader;
  private readonly salt: string;
  private open: Open | undefined;
  /** A segment that may have unacknowledged bytes behind its end. */
  private uncut: QueueSegment | undefined;
  private forgotten: number;
  private tried: number;
  private lastSeq: number;
  /** Bytes of holders in the segments that were written here, or counted since. */
  private readonly held = new Map<QueueSegment, Holdings>();

  private constructor(
    readonly path: string,
    private readonly maxBytes: number,
    private readonly lock: QueueLock,
    private readonly segments: QueueSegment[],
    private readonly cursor: QueueCursor,
    private readonly onHeld: OnHeld,
  ) {
    this.salt = segments[0]?.salt ?? randomBytes(16).toString('hex');
    const { position, isCertain } = cursor;
    const beforeFirst = (segments[0]?.first ?? 1) - 1;
    this.forgotten = isCertain && position ? position.forgotten : Math.max(position?.forgotten ?? 0, beforeFirst);
    this.lastSeq = Math.max(readLastSeq(segments), position?.lastWritten ?? 0, this.forgotten);
    // If the cursor may be an older one, any message may be in Kafka already.
    this.tried = isCertain && position ? position.tried : this.lastSeq;
    this.reader = new QueueReader(segments, this.forgotten);
  }

  /** @throws LockedError when the queue belongs to a live process */
  static make(path: string, maxBytes: number, onHeld = ignoreHeld): MessageQueue {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    syncFolder(dirname(path));
    return MessageQueue.open(path, maxBytes, onHeld);
  }

  /** @throws LockedError when the queue belongs to a live process */
  static open(path: string, maxBytes: number, onHeld = ignoreHeld): MessageQueue {
    const lock = QueueLock.take(path);
    let cursor: QueueCursor | undefined;
    try {
      makePrivate(path);
      const names = readdirSync(path);
      // Removes files that a process left when it died while writing them.
      for (const name of names.filter((fileName) => /\.tmp$|^probe$/.test(fileName)))
        rmSync(join(path, name), { force: true });
      const segments = listSegments(path, names);
      cursor = QueueCursor.open(join(path, 'cursor'), segments.length === 0);
      return new MessageQueue(path, maxBytes, lock, segments, cursor, onHeld);
    } catch (error) {
      cursor?.close();
      lock.release();
      throw error;
    }
  }

  /** Number of waiting messages. */
  get rows(): number {
    return this.lastSeq - this.forgotten;
  }

  /** Space of the waiting messages, in bytes. */
  get usedBytes(): number {
    return this.rows === 0 ? 0 : this.reader.bytes;
  }

  /** Time at which the oldest message was accepted; undefined when there is none. */
  get oldestAt(): number | undefined {
    for (const entry of this.reader.entries(this.forgotten, this.lastSeq))
      if (entry.kind === 'message') return entry.acceptedAt;
    return undefined;
  }

  /** All messages are on the disk when this returns; none is when it throws. */
  append(messages: readonly MessageToSpool[], acceptedAt: number): void {
    if (messages.length === 0) return;
    this.cut();
    const { segment, file } = this.segmentToWrite();
    const secret = segmentSecret(segment.salt, segment.first);
    const frames = encodeFrames(messages, { seq: this.lastSeq + 1, acceptedAt, offset: segment.end, secret });
    if (this.usedBytes + frames.length > this.maxBytes) throw new QueueFullError('the spool is full');
    try {
      writeAll(file, frames, segment.end);
      fdatasyncSync(file);
    } catch (error) {
      // After a failed fsync the content of the file is unknown: later messages go to a new segment.
      this.uncut = segment;
      this.endSegment();
      this.tryToCut();
      throw error;
    }
    segment.end += frames.length;
    this.lastSeq += messages.length;
    const holdings = this.held.get(segment);
    for (const message of messages) holdings?.add(findHolder(message.topic, message.value), frameBytes(message));
  }

  /** Forgets taken messages, then takes the next ones; that they were taken is on the disk when this returns. */
  take(forgetThrough: number, limits: BatchLimits): QueueBatch {
    const forgotten = Math.max(this.forgotten, Math.min(forgetThrough, this.lastSeq));
    const batch = this.read(forgotten, limits);
    const tried = Math.max(this.tried, batch.messages.at(-1)?.seq ?? 0);
    if (forgotten > this.forgotten || tried > this.tried) {
      this.cursor.save({ forgotten, tried, lastWritten: this.lastSeq });
    }
    this.forgotten = forgotten;
    this.tried = tried;
    for (const entry of this.reader.forget(forgotten)) {
      if (entry.kind === 'damage') continue;
      const { topic, value } = entry.message;
      this.held.get(entry.segment)?.add(findHolder(topic, value), -frameBytes(entry.message));
    }
    this.removeForgotten();
    return batch;
  }

  /**
   * Counts the holders of one segment that another process has written. Damage ends the count of a segment early: the
   * drain reports it.
   * @returns false when none is left
   */
  countHeld(): boolean {
    const segment = this.segments.find((candidate) => !this.held.has(candidate));
    if (!segment) return false;
    const holdings = new Holdings(this.onHeld);
    this.held.set(segment, holdings);
    try {
      holdings.addAll(segment.holdings(this.forgotten));
    } catch {
      // An unreadable sector; the drain tries again for a while.
    }
    segment.close();
    return true;
  }

  /** Writes and removes a file. @throws when the disk is full or fails. */
  probe(): void {
    const path = join(this.path, 'probe');
    try {
      writeSynced(path, randomBytes(probeBytes), 'w');
    } finally {
      rmSync(path, { force: true });
    }
  }

  /** @throws QueueFullError when the queue has reached its limit */
  assertRoom(): void {
    if (this.usedBytes + probeBytes > this.maxBytes) throw new QueueFullError('the spool is full');
  }

  /** Releases the queue, and removes it if it is empty. */
  close(): void {
    try {
      if (this.rows === 0) this.remove();
      else this.cursor.save({ forgotten: this.forgotten, tried: this.tried, lastWritten: this.lastSeq });
    } catch {
      // The next process adopts the queue as it is.
    } finally {
      this.endSegment();
      for (const segment of this.segments) segment.close();
      for (const holdings of this.held.values()) holdings.clear();
      this.cursor.close();
      this.lock.release();
    }
  }

  private read(forgotten: number, { messages: maxMessages, bytes: maxBytes }: BatchLimits): QueueBatch {
    const messages: SpooledMessage[] = [];
    const damages = [];
    let bytes = 0;
    let lastSeq = 0;
    for (const entry of this.reader.entries(forgotten, this.lastSeq)) {
      if (entry.kind === 'damage') {
        damages.push(entry);
      } else {
        bytes += spooledBytes(entry.message);
        const count = messages.length;
        if (count > 0 && (count >= maxMessages || bytes > maxBytes)) break;
        messages.push({
          ...entry.message,
          seq: entry.seq,
          acceptedAt: entry.acceptedAt,
          wasTried: entry.seq <= this.tried,
        });
      }
      lastSeq = entry.last;
    }
    return { messages, damages, lastSeq };
  }

  /** Never continues a segment of another process: its end may be torn. */
  private segmentToWrite(): Open {
    const maxBytes = Math.min(maxSegmentBytes, this.maxBytes / segmentsPerQueue);
    if (this.open && this.open.segment.end >= maxBytes) this.endSegment();
    this.open ??= this.addSegment();
    return this.open;
  }

  private addSegment(): Open {
    const path = join(this.path, segmentName(this.lastSeq + 1, this.salt));
    const file = openSync(path, 'wx', 0o600);
    try {
      syncFolder(this.path);
      const segment = new QueueSegment(path);
      this.segments.push(segment);
      this.held.set(segment, new Holdings(this.onHeld));
      return { segment, file };
    } catch (error) {
      closeSync(file);
      rmSync(path, { force: true });
      throw error;
    }
  }

  private endSegment(): void {
    if (this.open) closeSync(this.open.file);
    this.open = undefined;
  }

  /** Cuts off unacknowledged bytes, which would be read as messages later. @throws when that fails */
  private cut(): void {
    const { uncut } = this;
    if (!uncut) return;
    if (uncut.end === 0) {
      rmSync(uncut.path, { force: true });
      this.segments.splice(this.segments.indexOf(uncut), 1);
      this.held.delete(uncut);
    } else {
      cutFile(uncut.path, uncut.end);
    }
    this.uncut = undefined;
  }

  private tryToCut(): void {
    try {
      this.cut();
    } catch {
      // The next append tries again.
    }
  }

  private removeForgotten(): void {
    const isUsed = this.rows > 0 || (this.segments.at(-1)?.end ?? 0) <= keptBytes;
    const used = this.segments.findIndex(
      (_, index) => (this.segments[index + 1]?.first ?? Infinity) > this.forgotten + 1,
    );
    const count = isUsed ? used : this.segments.length;
    if (count <= 0) return;
    if (count === this.segments.length) this.endSegment();
    for (const segment of this.reader.drop(count)) {
      segment.close();
      rmSync(segment.path, { force: true });
      this.held.get(segment)?.clear();
      this.held.delete(segment);
      // A removed segment needs no cut.
      if (segment === this.uncut) this.uncut = undefined;
    }
  }

  /** Renames the folder before removing it, so that no process opens a part; `SpoolFolder.look` removes leftovers. */
  private remove(): void {
    const removedPath = join(dirname(this.path), `${basename(this.path)}.gone`);
    renameSync(this.path, removedPath);
    rmSync(removedPath, { recursive: true, force: true });
  }
}

/** Segments in the order of their messages. */
function listSegments(path: string, names: readonly string[]): QueueSegment[] {
  const segments = names.filter(isSegmentName).map((name) => new QueueSegment(join(path, name)));
  const firsts = segments.map(({ first }) => first);
  for (const segment of segments) {
    try {
      segment.identify(firsts);
    } finally {
      segment.close();
    }
  }
  return segments.sort((a, b) => a.first - b.first);
}

function readLastSeq(segments: readonly QueueSegment[]): number {
  const last = segments.at(-1);
  if (!last) return 0;
  try {
    const { lastSeq, isDamaged } = last.lookAtEnd();
    return isDamaged ? lastSeq + 1 : lastSeq;
  } finally {
    last.close();
  }
}

function cutFile(path: string, bytes: number): void {
  const file = openSync(path, 'r+');
  try {
    ftruncateSync(file, bytes);
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
}
