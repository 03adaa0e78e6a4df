import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import {
  decodePayload,
  type FrameHeader,
  frameHeaderBytes,
  payloadHolder,
  isIntact,
  markerBytes,
  readHeader,
  segmentSecret,
  type SegmentSecret,
} from './frame.js';
import { type Holder } from './holder.js';
import { type MessageToSpool } from './spooled-message.js';

/** A message and its position in the segment. */
export interface FoundFrame {
  readonly start: number;
  readonly end: number;
  readonly seq: number;
  readonly acceptedAt: number;
  readonly message: MessageToSpool;
}

interface Frame {
  readonly start: number;
  readonly end: number;
  readonly header: FrameHeader;
  /** Undefined when the payload is damaged or cut off. */
  readonly payload: Buffer | undefined;
}

const windowBytes = 256 * 1024;
const namePattern = /^(\d{16})-([0-9a-f]{32})\.log$/;
const nothing = Buffer.alloc(0);
const sectorBytes = 512;
/**
 * Failed reads before unreadable bytes are skipped; the drain retries for about half a minute, in case the disk
 * recovers.
 */
const maxReadFailures = 10;
/** Failed reads by path, because a queue that cannot be opened is a new object at each try. */
const readFailures = new Map<string, number>();

export const segmentName = (first: number, salt: string): string => `${String(first).padStart(16, '0')}-${salt}.log`;

export const isSegmentName = (name: string): boolean => namePattern.test(name);

/** Reads one file of a queue: frames in turn, the first of them at place `first`. */
export class QueueSegment {
  readonly salt: string;
  /** Place of the first message: taken from the file's name, unless `identify` finds another. */
  first: number;
  /** End of the acknowledged bytes; nothing behind it is read. */
  end: number;
  private secret: SegmentSecret;
  private file: number | undefined;
  private window = nothing;
  private windowStart = 0;

  constructor(readonly path: string) {
    const [, first, salt] = namePattern.exec(basename(path)) ?? [];
    if (first === undefined || salt === undefined) throw new Error('not the name of a segment');
    this.first = Number(first);
    this.salt = salt;
    this.secret = segmentSecret(salt, this.first);
    this.end = statSync(path).size;
  }

  /** Finds the real `first` when the file has the name of another segment. */
  identify(firsts: readonly number[]): void {
    const [nameFirst, salt] = [this.first, this.salt];
    for (const first of [nameFirst, ...firsts.filter((candidate) => candidate !== nameFirst)]) {
      this.first = first;
      this.secret = segmentSecret(salt, first);
      if (this.hasHeader()) return;
    }
    this.first = nameFirst;
    this.secret = segmentSecret(salt, nameFirst);
  }

  /**
   * Finds the first intact frame at or behind `from` whose place is between `after` and `before`, both excluded. Also
   * returns the end of the last frame up to `after`.
   */
  find(from: number, after: number, before: number): { readonly frame: FoundFrame | undefined; readonly from: number } {
    let intactEnd = from;
    for (const { start, end, header, payload } of this.frames(from)) {
      const { seq, acceptedAt } = header;
      if (!payload || seq >= before) continue;
      if (seq > after)
        return { frame: { start, end, seq, acceptedAt, message: decodePayload(payload) }, from: intactEnd };
      intactEnd = end;
    }
    return { frame: undefined, from: intactEnd };
  }

  /** Yields the bytes of each intact message behind the place `after`, with their holder. */
  *holdings(after: number): Generator<readonly [Holder, number]> {
    for (const { start, end, header, payload } of this.frames(0))
      if (payload && header.seq > after) yield [payloadHolder(payload), end - start];
  }

  /**
   * Returns the last place that was written, even if its message is damaged, and whether the segment ends in damage. A
   * frame that is cut off is not damage: it was never acknowledged.
   */
  lookAtEnd(): { readonly lastSeq: number; readonly isDamaged: boolean } {
    let [lastSeq, intactEnd] = [this.first - 1, 0];
    let isCutOff = false;
    for (const { start, end, header } of this.frames(0)) {
      isCutOff = end > this.end && start === intactEnd;
      if (end > this.end) continue;
      lastSeq = Math.max(lastSeq, header.seq);
      intactEnd = end;
    }
    return { lastSeq, isDamaged: this.end - intactEnd >= frameHeaderBytes && !isCutOff };
  }

  /** Returns a copy of the file's bytes. */
  read(from: number, bytes: number): Buffer {
    return Buffer.from(this.view(from, bytes));
  }

  close(): void {
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
    this.window = nothing;
  }

  private hasHeader(): boolean {
    for (const { start } of this.frames(0, Math.min(this.end, windowBytes))) return start >= 0;
    return false;
  }

  /**
   * Yields frames with an intact header. The search continues behind the whole frame if it is intact, else right behind
   * its header: a page copied from elsewhere must not hide later frames. A payload is valid until the next frame.
   */
  private *frames(from: number, until = this.end): Generator<Frame> {
    for (let start = from; start + frameHeaderBytes <= until;) {
      const header = readHeader(this.view(start, frameHeaderBytes), start, this.secret);
      if (!header) {
        start = this.nextMarker(start + 1, until);
        continue;
      }
      const payloadStart = start + frameHeaderBytes;
      const end = payloadStart + header.payloadBytes;
      const payload = end > this.end ? undefined : this.view(payloadStart, header.payloadBytes);
      const isWhole = payload !== undefined && isIntact(payload, header, this.secret);
      yield { start, end, header, payload: isWhole ? payload : undefined };
      start = isWhole ? end : this.nextMarker(payloadStart, until);
    }
  }

  private nextMarker(from: number, until: number): number {
    for (let offset = from; offset + markerBytes <= until; offset += windowBytes) {
      const markerIndex = this.view(offset, Math.min(windowBytes + markerBytes, until - offset)).indexOf(
        this.secret.marker,
      );
      if (markerIndex >= 0) return offset + markerIndex;
    }
    return until;
  }

  /** Returns bytes that are valid until the next call; fewer only if the file ends. */
  private view(from: number, bytes: number): Buffer {
    const start = from - this.windowStart;
    if (start < 0 || start + bytes > this.window.length) this.fill(from, bytes);
    return this.window.subarray(from - this.windowStart, from - this.windowStart + bytes);
  }

  private fill(from: number, bytes: number): void {
    this.file ??= openSync(this.path, 'r');
    const window = Buffer.allocUnsafeSlow(Math.max(0, Math.min(Math.max(windowBytes, bytes), this.end - from)));
    const length = this.readInto(this.file, window, from);
    this.window = window.subarray(0, length);
    this.windowStart = from;
  }

  /**
   * Reads bytes. Sectors that repeatedly cannot be read become zeros, so that messages behind them can be delivered.
   */
  private readInto(file: number, window: Buffer, from: number): number {
    try {
      return readAll(file, window, from);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EIO') throw error;
      const failures = (readFailures.get(this.path) ?? 0) + 1;
      readFailures.set(this.path, failures);
      if (failures < maxReadFailures) throw error;
    }
    for (let offset = 0; offset < window.length; offset += sectorBytes) {
      const sector = window.subarray(offset, offset + sectorBytes);
      try {
        readAll(file, sector, from + offset);
      } catch {
        sector.fill(0);
      }
    }
    return window.length;
  }
}

function readAll(file: number, bytes: Buffer, from: number): number {
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read) {
    read = readSync(file, bytes, length, bytes.length - length, from + length);
  }
  return length;
}
