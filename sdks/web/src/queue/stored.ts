import { type Batch } from '@sluice/sdk-core';

/** A batch as a store has it. */
export interface Head extends Batch {
  /** The page that appends to it, while it is open. */
  owner?: string;
  /** Its messages went into other batches, for good: a copy that reappears from another store is not sent. */
  isDivided?: boolean;
}

export interface Stored {
  head: Head;
  /** Has holes where the other store has the message. */
  texts: (string | undefined)[];
}

const larger = (one: number, other: number): number => Math.max(one, other);

/** Merges a batch as two stores have it. */
export function merged(one: Stored | undefined, other: Stored | undefined): Stored | undefined {
  if (!one || !other) return one ?? other;
  const texts = one.texts.length < other.texts.length ? [...other.texts] : [...one.texts];
  for (const [at, text] of texts.entries()) texts[at] = text ?? one.texts[at] ?? other.texts[at];
  return { head: mergedHead(one.head, other.head), texts };
}

export const mergedHead = (one: Head, other: Head): Head => ({
  ...one,
  ...(other.sealed && other),
  sealed: one.sealed || other.sealed,
  tries: larger(one.tries, other.tries),
  doubts: larger(one.doubts, other.doubts),
  tooLarge: larger(one.tooLarge, other.tooLarge),
  // 0 is never.
  firstTry: Math.min(one.firstTry || other.firstTry, other.firstTry || one.firstTry),
  lastTry: larger(one.lastTry, other.lastTry),
  nextTry: larger(one.nextTry, other.nextTry),
});

/** The messages from the first one on, up to the first that is missing. */
export function unbroken(texts: readonly (string | undefined)[], count = texts.length): string[] {
  const known: string[] = [];
  for (let text = texts[0]; text !== undefined && known.length < count; text = texts[known.length]) known.push(text);
  return known;
}

/** Notes a try in a head: the times and numbers of the client, and one more or less doubt. */
export function noteTry(head: Head, { tries, tooLarge, firstTry, lastTry, nextTry }: Batch, doubts: number): number {
  Object.assign(head, { tries, tooLarge, firstTry, lastTry, nextTry });
  return (head.doubts += doubts);
}
