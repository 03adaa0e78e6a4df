import {
  fileHead,
  type Frame,
  type Frames,
  readFrames,
  headBytes,
  payloadLength,
  magic,
  formatVersion,
} from './frames.js';

/** Content of a batch file in the format of sdks/contract/store.md. */
export type BatchFile =
  | { readonly is: 'foreign' }
  | { readonly is: 'newer' }
  /** A file without a whole header, so without a batch. */
  | { readonly is: 'empty'; readonly lost: number }
  | FiledBatch;

export interface FiledBatch {
  readonly is: 'batch';
  readonly header: Readonly<Record<string, unknown>>;
  readonly messages: readonly string[];
  readonly isSealed: boolean;
  /** Messages after the seal; they belong to the batch `key.<count>`. */
  readonly later: readonly string[];
  readonly tries: Readonly<Record<string, number>> | null;
  /** Tries in doubt, of all clients. */
  readonly doubts: number;
  readonly dividedAt: number | null;
  readonly isTorn: boolean;
  /** Number of messages lost by damage. */
  readonly lost: number;
  /** Bytes up to the end of the last valid frame. */
  readonly end: number;
}

export function readBatchFile(bytes: Buffer): BatchFile {
  const start = magic.length + 1;
  if (bytes.length < start) return { is: 'empty', lost: 0 };
  if (bytes.toString('latin1', 0, magic.length) !== magic) return { is: 'foreign' };
  if (bytes[magic.length] !== formatVersion) return { is: 'newer' };
  const reading = readFrames(bytes, start);
  const { isTorn, lost } = classifyDamage(bytes, reading.end);
  const [first] = reading.frames;
  // The damaged frame is the header, which does not count as a message.
  if (first?.kind !== 'H') return { is: 'empty', lost: lost === 0 ? 0 : Math.max(1, lost - 1) };
  return { ...buildContent(reading, lost), header: JSON.parse(first.text) as Record<string, unknown>, isTorn };
}

/** Source of the batch whose file begins with these bytes; undefined without a whole header. */
export function sourceIn(bytes: Buffer): unknown {
  const [first] = readFrames(bytes, magic.length + 1).frames;
  if (first?.kind !== 'H' || !bytes.subarray(0, magic.length + 1).equals(fileHead)) return undefined;
  return (JSON.parse(first.text) as { sourceIdentifier?: unknown }).sourceIdentifier;
}

/** Classifies the bytes after the last valid frame: none, a torn write, or damage followed by valid frames. */
function classifyDamage(bytes: Buffer, end: number): { isTorn: boolean; lost: number } {
  if (end === bytes.length) return { isTorn: false, lost: 0 };
  for (let offset = end + 1; offset + headBytes < bytes.length; offset++) {
    if (payloadLength(bytes, offset) === 0) continue;
    const laterFrames = readFrames(bytes, offset).frames;
    return { isTorn: false, lost: 1 + laterFrames.filter(({ kind }) => kind === 'M').length };
  }
  return { isTorn: true, lost: 0 };
}

/**
 * The content of valid frames. Clients that append to one file at the same time agree on it, because they all see the
 * same order: the first seal counts, and a division only if no try before it was in doubt.
 */
function buildContent({ frames, end }: Frames, damagedCount: number): Omit<FiledBatch, 'header' | 'isTorn'> {
  const messages: string[] = [];
  let count: number | undefined;
  let tries: Record<string, number> | null = null;
  let doubts = 0;
  let dividedAt: number | null = null;
  for (const { kind, text } of frames) {
    if (kind === 'M') messages.push(text);
    else if (kind === 'S') count ??= parseNumbers(text)['count'];
    else if (kind === 'D') dividedAt ??= doubts > 0 ? null : (parseNumbers(text)['at'] ?? null);
    else if (kind === 'T') {
      const { add, ...tryRecord } = parseNumbers(text);
      tries = tryRecord;
      doubts = add === undefined ? (tryRecord['doubts'] ?? 0) : doubts + add;
    }
  }
  return {
    is: 'batch',
    messages: messages.slice(0, count),
    later: count === undefined ? [] : messages.slice(count),
    isSealed: count !== undefined,
    tries,
    doubts,
    dividedAt,
    lost: damagedCount + Math.max(0, (count ?? 0) - messages.length),
    end,
  };
}

const parseNumbers = (text: Frame['text']): Record<string, number> => JSON.parse(text) as Record<string, number>;
