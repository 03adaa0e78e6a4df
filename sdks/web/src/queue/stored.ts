import { type Batch } from '@sluice/sdk-core';

/** A batch as a store has it. */
export interface Head extends Batch {
  /** The page that appends to it, while it is open. */
  owner?: string | undefined;
  /** Its messages went into other batches, for good: a copy that reappears from another store is not sent. */
  isDivided?: boolean;
}

/** Has holes where the other store has the message. */
type Texts = readonly (string | undefined)[];

export interface Stored {
  readonly batch: Head;
  readonly texts: Texts;
}

/**
 * Returns the batches that replace a stored batch, which may be missing: none, the same one, or others. Undefined
 * leaves the store as it is.
 */
export type Change = (there: Stored | undefined) => readonly Stored[] | undefined;

/** Merges a batch as two stores have it. Undefined also if it is divided in the first store. */
export function merged(one: Stored | undefined, other: Stored | undefined): Stored | undefined {
  if (one?.batch.isDivided) return undefined;
  if (!one || !other) return one ?? other;
  const length = Math.max(one.texts.length, other.texts.length);
  const texts = Array.from({ length }, (_, at) => one.texts[at] ?? other.texts[at]);
  return { batch: mergedHead(one.batch, other.batch), texts };
}

export function mergedHead(one: Head, other: Head): Head {
  const head = { ...one, ...(other.sealed && other) };
  for (const name of ['tries', 'doubts', 'tooLarge', 'lastTry', 'nextTry'] as const) {
    head[name] = Math.max(one[name], other[name]);
  }
  // 0 means never.
  head.firstTry = Math.min(one.firstTry || other.firstTry, other.firstTry || one.firstTry);
  return head;
}

/** The messages before the first one that is missing; at most `count`. */
export function unbroken(texts: Texts, count = Infinity): string[] {
  const end = [...texts, undefined].indexOf(undefined);
  return texts.slice(0, Math.min(count, end)) as string[];
}

/** Records a try: takes the times and numbers of the client, and adds to the doubts. */
export function noted(head: Head, tried: Batch, doubts: number): Head {
  const { sealed, count, bytes } = head;
  return { ...head, ...tried, sealed, count, bytes, doubts: head.doubts + doubts };
}
