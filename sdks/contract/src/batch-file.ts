import { crc32 } from 'node:zlib';

/** Content of a batch file in the format of store.md. */
export type BatchFileContent =
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

export type FrameLetter = 'H' | 'M' | 'S' | 'T' | 'D';

export const batchFileStart = (): Buffer => Buffer.concat([Buffer.from(magic), Buffer.from([version])]);

export function frame(kind: FrameLetter, text: string): Buffer {
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

function readFrames(bytes: Buffer, start: number): Frames {
  const frames: { kind: string; text: string }[] = [];
  let offset = start;
  for (let payload = readPayload(bytes, offset); payload; payload = readPayload(bytes, offset)) {
    frames.push({ kind: payload.toString('utf8', 0, 1), text: payload.toString('utf8', 1) });
    offset += headBytes + payload.length;
  }
  return { frames, end: offset };
}

/** Undefined if no whole frame begins at this position. */
function readPayload(bytes: Buffer, offset: number): Buffer | undefined {
  if (offset + headBytes > bytes.length) return undefined;
  const length = bytes.readUInt32LE(offset);
  if (length === 0 || length > longest || offset + headBytes + length > bytes.length) return undefined;
  const payload = bytes.subarray(offset + headBytes, offset + headBytes + length);
  return crc32(payload, crc32(bytes.subarray(offset, offset + 4))) === bytes.readUInt32LE(offset + 4)
    ? payload
    : undefined;
}

/** Classifies the bytes after the last valid frame: none, a torn write, or damage followed by valid frames. */
function classifyDamage(bytes: Buffer, end: number): { isTorn: boolean; lost: number } {
  if (end === bytes.length) return { isTorn: false, lost: 0 };
  for (let offset = end + 1; offset + headBytes < bytes.length; offset++) {
    if (!readPayload(bytes, offset)) continue;
    const framesAfter = readFrames(bytes, offset).frames;
    return { isTorn: false, lost: 1 + framesAfter.filter(({ kind }) => kind === 'M').length };
  }
  return { isTorn: true, lost: 0 };
}

export function parseBatchFile(bytes: Buffer): BatchFileContent {
  const start = magic.length + 1;
  if (bytes.length < start) return { is: 'empty', lost: 0 };
  if (bytes.toString('latin1', 0, magic.length) !== magic) return { is: 'foreign' };
  if (bytes[magic.length] !== version) return { is: 'newer' };
  const { frames, end } = readFrames(bytes, start);
  const { isTorn, lost } = classifyDamage(bytes, end);
  const [first] = frames;
  // The damaged frame is the header, which does not count as a message.
  if (first?.kind !== 'H') return { is: 'empty', lost: lost === 0 ? 0 : Math.max(1, lost - 1) };
  return { is: 'batch', ...buildContent(frames, lost), header: parseObject(first.text), isTorn };
}

function buildContent(frames: Frames['frames'], damagedCount: number) {
  const texts = frames.filter(({ kind }) => kind === 'M').map(({ text }) => text);
  const parseLast = (kind: FrameLetter): Record<string, number> | null => {
    const lastFrame = frames.filter((candidate) => candidate.kind === kind).at(-1);
    return lastFrame ? (parseObject(lastFrame.text) as Record<string, number>) : null;
  };
  // Clients may seal at the same time: all agree on the first.
  const firstSeal = frames.find(({ kind }) => kind === 'S');
  const seal = firstSeal ? (parseObject(firstSeal.text) as Record<string, number>) : null;
  const count = seal?.['count'] ?? texts.length;
  return {
    messages: texts.slice(0, count),
    later: texts.slice(count),
    isSealed: seal !== null,
    tries: parseLast('T'),
    dividedAt: parseLast('D')?.['at'] ?? null,
    lost: damagedCount + Math.max(0, count - texts.length),
  };
}

const parseObject = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;
