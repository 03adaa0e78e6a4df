import { crc32 } from 'node:zlib';

/** Content of a batch file in the format of store.md. */
export type BatchFile =
  | { readonly is: 'foreign' | 'newer' | 'empty'; readonly lost?: number }
  | {
      readonly is: 'batch';
      readonly header: Readonly<Record<string, unknown>>;
      readonly messages: readonly string[];
      readonly isSealed: boolean;
      /** Messages after the seal; they belong to the batch `key.<count>`. */
      readonly later: readonly string[];
      readonly tries: Readonly<Record<string, number>> | null;
      readonly dividedAt: number | null;
      readonly isTorn: boolean;
      /** Number of messages lost by damage. */
      readonly lost: number;
    };

const magic = 'SLUICEB';
const version = 1;
const headBytes = 8;
const longest = 1_048_576;

export type FrameKind = 'H' | 'M' | 'S' | 'T' | 'D';

export const fileHead = (): Buffer => Buffer.concat([Buffer.from(magic), Buffer.from([version])]);

export function frame(kind: FrameKind, text: string): Buffer {
  const payload = Buffer.from(kind + text);
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(payload.length, 0);
  head.writeUInt32LE(crc32(payload, crc32(head.subarray(0, 4))), 4);
  return Buffer.concat([head, payload]);
}

interface Frames {
  readonly frames: readonly { readonly kind: string; readonly text: string }[];
  /** Position at which reading stopped. */
  readonly end: number;
}

function framesFrom(bytes: Buffer, from: number): Frames {
  const frames: { kind: string; text: string }[] = [];
  let at = from;
  for (let payload = payloadAt(bytes, at); payload; payload = payloadAt(bytes, at)) {
    frames.push({ kind: payload.toString('utf8', 0, 1), text: payload.toString('utf8', 1) });
    at += headBytes + payload.length;
  }
  return { frames, end: at };
}

/** Undefined if no whole frame begins at this position. */
function payloadAt(bytes: Buffer, at: number): Buffer | undefined {
  if (at + headBytes > bytes.length) return undefined;
  const length = bytes.readUInt32LE(at);
  if (length === 0 || length > longest || at + headBytes + length > bytes.length) return undefined;
  const payload = bytes.subarray(at + headBytes, at + headBytes + length);
  return crc32(payload, crc32(bytes.subarray(at, at + 4))) === bytes.readUInt32LE(at + 4) ? payload : undefined;
}

/** Classifies the bytes after the last valid frame: none, a torn write, or damage followed by valid frames. */
function damageAt(bytes: Buffer, end: number): { isTorn: boolean; lost: number } {
  if (end === bytes.length) return { isTorn: false, lost: 0 };
  for (let at = end + 1; at + headBytes < bytes.length; at++) {
    if (!payloadAt(bytes, at)) continue;
    const behind = framesFrom(bytes, at).frames;
    return { isTorn: false, lost: 1 + behind.filter(({ kind }) => kind === 'M').length };
  }
  return { isTorn: true, lost: 0 };
}

export function readBatchFile(bytes: Buffer): BatchFile {
  const start = magic.length + 1;
  if (bytes.length < start) return { is: 'empty', lost: 0 };
  if (bytes.toString('latin1', 0, magic.length) !== magic) return { is: 'foreign' };
  if (bytes[magic.length] !== version) return { is: 'newer' };
  const { frames, end } = framesFrom(bytes, start);
  const { isTorn, lost } = damageAt(bytes, end);
  const [first] = frames;
  // The damaged frame is the header, which does not count as a message.
  if (first?.kind !== 'H') return { is: 'empty', lost: lost === 0 ? 0 : Math.max(1, lost - 1) };
  return { is: 'batch', ...contentOf(frames, lost), header: objectOf(first.text), isTorn };
}

function contentOf(frames: Frames['frames'], damaged: number) {
  const all = frames.filter(({ kind }) => kind === 'M').map(({ text }) => text);
  const last = (kind: FrameKind): Record<string, number> | null => {
    const found = frames.filter((one) => one.kind === kind).at(-1);
    return found ? (objectOf(found.text) as Record<string, number>) : null;
  };
  // Clients may seal at the same time: all agree on the first.
  const first = frames.find(({ kind }) => kind === 'S');
  const seal = first ? (objectOf(first.text) as Record<string, number>) : null;
  const count = seal?.['count'] ?? all.length;
  return {
    messages: all.slice(0, count),
    later: all.slice(count),
    isSealed: seal !== null,
    tries: last('T'),
    dividedAt: last('D')?.['at'] ?? null,
    lost: damaged + Math.max(0, count - all.length),
  };
}

const objectOf = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;
