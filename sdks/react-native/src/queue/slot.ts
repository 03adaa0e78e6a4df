import { type Batch } from '@sluice/sdk-core';

/** A batch with its messages. */
export interface SlotBatch {
  readonly batch: Batch;
  readonly texts: readonly string[];
}

/** Batches that lie under one name, so that one write changes all of them. One batch, or the halves of a divided one. */
export type Slot = readonly SlotBatch[];

export interface Decoded {
  readonly slot: Slot;
  /** Number of messages that the text should have and does not have. */
  readonly lost: number;
}

interface Head extends Batch {
  readonly v: number;
  /** Number of characters of the messages, with a line break before each. */
  readonly length: number;
}

const version = 1;

/** Thrown for a text that a newer version of the SDK wrote; it stays as it is. */
export const newer = new Error('a newer version of the SDK wrote this batch');

/** The changing members of a head, at their greatest length. */
const longest = { tries: 99_999, doubts: 99_999, tooLarge: 99_999, sealed: false };
/** A time with a fraction, which a double writes in at most 18 characters. */
const far = 1_234_567_890_123.4321;

/** One line per batch and message. A head is as long as it will ever be: noting a try takes no more room. */
export function encode(slot: Slot): string {
  return slot
    .map(({ batch, texts }) => {
      const lines = texts.map((text) => `\n${text}`).join('');
      const head: Head = { ...batch, count: texts.length, v: version, length: lines.length };
      const room = JSON.stringify({ ...head, ...longest, firstTry: far, lastTry: far, nextTry: far }).length;
      return JSON.stringify(head).padEnd(room) + lines;
    })
    .join('\n');
}

/**
 * Reads what `encode` wrote, or the beginning of it.
 * @throws if a newer version wrote it
 */
export function decode(text: string | null): Decoded {
  const slot: SlotBatch[] = [];
  let lost = 0;
  let position = 0;
  while (text !== null && position < text.length) {
    const end = text.indexOf('\n', position);
    const head = parseHead(text.slice(position, end < 0 ? undefined : end));
    if (!head) return { slot, lost: lost + Math.max(1, text.slice(position).split('\n').length - 1) };
    const { length } = head;
    const batch = readBatch(head);
    const linesStart = end < 0 ? text.length : end;
    const lines = text.slice(linesStart, linesStart + length);
    const whole = lines.split('\n').slice(1);
    // The last line of a text that was cut off is not a message.
    const texts = lines.length === length ? whole.slice(0, batch.count) : whole.slice(0, -1);
    lost += batch.count - texts.length;
    if (texts.length > 0) slot.push({ batch: { ...batch, count: texts.length }, texts });
    position = linesStart + length + 1;
  }
  return { slot, lost };
}

function parseHead(line: string): Head | undefined {
  let head: Partial<Head> | null;
  try {
    head = JSON.parse(line) as Partial<Head> | null;
  } catch {
    return undefined;
  }
  if ((head?.v ?? 0) > version) throw newer;
  return typeof head?.key === 'string' && typeof head.count === 'number' ? (head as Head) : undefined;
}

const readBatch = ({ key, host, sourceIdentifier, kind, created, ...changing }: Head): Batch => {
  const { count, bytes, sealed, tries, doubts, tooLarge, firstTry, lastTry, nextTry } = changing;
  return {
    key,
    host,
    sourceIdentifier,
    kind,
    created,
    count,
    bytes,
    sealed,
    tries,
    doubts,
    tooLarge,
    firstTry,
    lastTry,
    nextTry,
  };
};
