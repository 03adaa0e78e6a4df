import { type QueueDamage } from './queue-batch.js';
import { type FoundFrame, type QueueSegment } from './segment.js';

/** Bytes without a readable message. */
interface Gap {
  readonly segment: QueueSegment;
  readonly start: number;
  readonly end: number;
}

type Entry =
  | (Omit<FoundFrame, 'start'> & { readonly kind: 'message'; readonly last: number; readonly segment: QueueSegment })
  | (QueueDamage & { readonly kind: 'damage' });

/** Upper bound of damaged bytes that are kept for inspection. */
const maxGapBytes = 16 * 1024 * 1024;

/**
 * Reads a queue once, segment by segment. Entries are kept until they are forgotten, so that they can be taken again.
 * Places of messages have no gaps, so a gap means damage. Unreadable bytes without a missing place were never
 * acknowledged, or are copies.
 */
export class QueueReader {
  private ahead: Entry[] = [];
  private gaps: Gap[] = [];
  /** Segment and offset at which reading continues. */
  private index = 0;
  private offset = 0;
  private lastRead: number;
  /** The last message that was forgotten. */
  private head: Extract<Entry, { kind: 'message' }> | undefined;

  constructor(
    private readonly segments: QueueSegment[],
    forgotten: number,
  ) {
    this.lastRead = forgotten;
  }

  /** Bytes on the disk behind the last forgotten message. */
  get bytes(): number {
    const bytes = this.segments.reduce((sum, { end }) => sum + end, 0);
    return bytes - (this.segments[0] === this.head?.segment ? (this.head?.end ?? 0) : 0);
  }

  /** Yields entries after the place `after`, up to the place `through`. */
  *entries(after: number, through: number): Generator<Entry> {
    for (let index = 0; ; index++) {
      if (index >= this.ahead.length && !this.readOn(through)) return;
      const entry = this.ahead[index];
      if (entry && entry.last > after) yield entry;
    }
  }

  /** Forgets the entries up to a place, and returns them. */
  forget(through: number): readonly Entry[] {
    const firstKept = this.ahead.findIndex(({ last }) => last > through);
    const forgotten = this.ahead.splice(0, firstKept < 0 ? this.ahead.length : firstKept);
    this.head = forgotten.findLast((entry) => entry.kind === 'message') ?? this.head;
    return forgotten;
  }

  /** Removes the first `count` segments from the list; all their messages must be forgotten. */
  drop(count: number): QueueSegment[] {
    if (this.index < count) this.offset = 0;
    this.index = Math.max(0, this.index - count);
    return this.segments.splice(0, count);
  }

  /** Reads one entry. Returns false when there is none up to this place. */
  private readOn(through: number): boolean {
    while (this.lastRead < through) {
      const segment = this.segments[this.index];
      if (!segment) break;
      const { frame, from } = segment.find(this.offset, this.lastRead, this.firstBehind(segment) ?? through + 1);
      const gapEnd = frame?.start ?? segment.end;
      if (gapEnd > from) this.gaps.push({ segment, start: from, end: gapEnd });
      if (frame) {
        this.offset = frame.end;
        this.endGap(frame.seq - 1);
        this.ahead.push({ ...frame, kind: 'message', last: frame.seq, segment });
        this.lastRead = frame.seq;
        return true;
      }
      this.offset = segment.end;
      if (this.index === this.segments.length - 1) break;
      segment.close();
      this.index += 1;
      this.offset = 0;
    }
    return this.endGap(through);
  }

  /** Adds damage for the missing messages up to `last`. Returns false when none is missing. */
  private endGap(last: number): boolean {
    const { gaps, lastRead } = this;
    this.gaps = [];
    if (last <= lastRead) return false;
    this.ahead.push({ kind: 'damage', first: lastRead + 1, last, read: () => readGaps(gaps) });
    this.lastRead = last;
    return true;
  }

  /** First place of the next segment that is not a copy; a copy may contain the messages that are damaged here. */
  private firstBehind({ first }: QueueSegment): number | undefined {
    return this.segments.slice(this.index + 1).find((segment) => segment.first > first)?.first;
  }
}

function readGaps(gaps: readonly Gap[]): Uint8Array {
  let bytesLeft = maxGapBytes;
  const parts = gaps.map(({ segment, start, end }) => {
    const bytes = Math.min(bytesLeft, end - start);
    bytesLeft -= bytes;
    return segment.read(start, bytes);
  });
  return Buffer.concat(parts);
}
