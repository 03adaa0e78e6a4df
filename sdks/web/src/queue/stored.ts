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
export type Change = (stored: Stored | undefined) => readonly Stored[] | undefined;

/** Merges a batch as two stores have it. Undefined also if it is divided in the first store. */
export function mergeStored(first: Stored | undefined, second: Stored | undefined): Stored | undefined {
  if (first?.batch.isDivided) return undefined;
  if (!first || !second) return first ?? second;
  const length = Math.max(first.texts.length, second.texts.length);
  const texts = Array.from({ length }, (_, index) => first.texts[index] ?? second.texts[index]);
  return { batch: mergeHeads(first.batch, second.batch), texts };
}

export function mergeHeads(first: Head, second: Head): Head {
  const head = { ...first, ...(second.sealed && second) };
  for (const name of ['tries', 'doubts', 'tooLarge', 'lastTry', 'nextTry'] as const) {
    head[name] = Math.max(first[name], second[name]);
  }
  // 0 means never.
  head.firstTry = Math.min(first.firstTry || second.firstTry, second.firstTry || first.firstTry);
  return head;
}

/** The messages before the first one that is missing; at most `count`. */
export function takeUnbroken(texts: Texts, count = Infinity): string[] {
  const end = [...texts, undefined].indexOf(undefined);
  return texts.slice(0, Math.min(count, end)) as string[];
}

/** Records a try: takes the times and numbers of the client, and adds to the doubts. */
export function recordTry(head: Head, tried: Batch, doubts: number): Head {
  const { sealed, count, bytes } = head;
  return { ...head, ...tried, sealed, count, bytes, doubts: head.doubts + doubts };
}
