import { type Frame, type Frames, framesFrom, headBytes, lengthAt, magic, version } from './frames.js';

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
  if (bytes[magic.length] !== version) return { is: 'newer' };
  const read = framesFrom(bytes, start);
  const { isTorn, lost } = damageAfter(bytes, read.end);
  const [first] = read.frames;
  // The damaged frame is the header, which does not count as a message.
  if (first?.kind !== 'H') return { is: 'empty', lost: lost === 0 ? 0 : Math.max(1, lost - 1) };
  return { ...contentOf(read, lost), header: JSON.parse(first.text) as Record<string, unknown>, isTorn };
}

/** Classifies the bytes after the last valid frame: none, a torn write, or damage followed by valid frames. */
function damageAfter(bytes: Buffer, end: number): { isTorn: boolean; lost: number } {
  if (end === bytes.length) return { isTorn: false, lost: 0 };
  for (let at = end + 1; at + headBytes < bytes.length; at++) {
    if (lengthAt(bytes, at) === 0) continue;
    const behind = framesFrom(bytes, at).frames;
    return { isTorn: false, lost: 1 + behind.filter(({ kind }) => kind === 'M').length };
  }
  return { isTorn: true, lost: 0 };
}

/**
 * The content of valid frames. Clients that append to one file at the same time agree on it, because they all see the
 * same order: the first seal counts, and a division only if no try before it was in doubt.
 */
function contentOf({ frames, end }: Frames, damaged: number): Omit<FiledBatch, 'header' | 'isTorn'> {
  const messages: string[] = [];
  let count: number | undefined;
  let tries: Record<string, number> | null = null;
  let doubts = 0;
  let dividedAt: number | null = null;
  for (const { kind, text } of frames) {
    if (kind === 'M') messages.push(text);
    else if (kind === 'S') count ??= numbersOf(text)['count'];
    else if (kind === 'D') dividedAt ??= doubts > 0 ? null : (numbersOf(text)['at'] ?? null);
    else if (kind === 'T') {
      const { add, ...known } = numbersOf(text);
      tries = known;
      doubts = add === undefined ? (known['doubts'] ?? 0) : doubts + add;
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
    lost: damaged + Math.max(0, (count ?? 0) - messages.length),
    end,
  };
}

const numbersOf = (text: Frame['text']): Record<string, number> => JSON.parse(text) as Record<string, number>;
