import { attempt, byAge } from '@sluice/sdk-core';
import { type Change, type Head, type Stored } from './stored.js';

const [heads, messages] = ['sluice.b.', 'sluice.m.'];
/** Prefix of the values that plugins store. */
const others = 'sluice.s.';
/** Prefix of the notes of pages (kill-note.ts), also of those that have ended. */
export const notes = 'sluice.n.';
const maxMessages = 100;
/** Room for the numbers of a head to grow: an update takes no more room than there is. */
const slack = 120;

const nameOf = (key: string, index: number): string => `${messages}${key}.${index}`;

export type Journal = ReturnType<typeof createJournal>;

/**
 * Batches in localStorage: one entry for each message, so that an event costs the same however long the queue is, and
 * one for the batch. Synchronous: what returned is kept if the tab is killed. Any function can throw.
 */
// eslint-disable-next-line max-lines-per-function -- a factory of short functions: private names cost a page nothing
export function createJournal(storage: Storage) {
  /** Bytes of all entries, as far as they are known. */
  let used: number | undefined;

  const names = (...prefixes: string[]): string[] =>
    Object.keys(storage).filter((name) => prefixes.some((prefix) => name.startsWith(prefix)));
  const lengthOf = (name: string): number => storage.getItem(name)?.length ?? 0;

  function remove(name: string): void {
    if (used !== undefined) used -= lengthOf(name);
    storage.removeItem(name);
  }

  /** @throws when there is no room; then nothing is changed */
  function set(name: string, text: string, before = 0): void {
    storage.setItem(name, text);
    if (used !== undefined) used += text.length - before;
  }

  /** Undefined also if somebody else wrote it. */
  function head(key: string): Head | undefined {
    const text = storage.getItem(heads + key);
    return text ? attempt(() => JSON.parse(text) as Head) : undefined;
  }

  function write(batch: Head): void {
    const name = heads + batch.key;
    const text = JSON.stringify(batch);
    const before = lengthOf(name);
    set(name, text.padEnd(before || text.length + slack), before);
  }

  const put = (key: string, index: number, text: string): void => set(nameOf(key, index), text);

  function load(key: string): Stored | undefined {
    const batch = head(key);
    if (!batch) return undefined;
    const { sealed, count } = batch;
    const texts: string[] = [];
    for (let at = 0; at < maxMessages; at++) {
      const text = storage.getItem(nameOf(key, at));
      if (text !== null) texts[at] = text;
      // Its owner may have gone on after another page had sealed it.
      else if (sealed && at >= count) break;
    }
    return { batch, texts };
  }

  /** Drops these messages, and a batch that gets no more. */
  function drop({ batch, texts }: Stored): void {
    for (const at of texts.keys()) if (texts[at] !== undefined) remove(nameOf(batch.key, at));
    if (batch.sealed) remove(heads + batch.key);
  }

  return {
    head,
    write,
    put,
    load,
    drop,
    /** Oldest first. */
    batches(): Head[] {
      // Other tabs write and remove, too.
      used = undefined;
      return names(heads)
        .flatMap((name) => head(name.slice(heads.length)) ?? [])
        .sort(byAge);
    },
    bytes: (): number => (used ??= names(heads, messages).reduce((sum, name) => sum + lengthOf(name), 0)),
    /** Changes a batch, and returns what `change` returned. */
    change(key: string, change: Change): readonly Stored[] | undefined {
      const there = load(key);
      const next = change(there);
      if (there && next && !next.some(({ batch }) => batch.key === key)) {
        drop(there);
        remove(heads + key);
      }
      for (const { batch, texts } of next ?? []) {
        if (texts !== there?.texts) {
          for (const [at, text] of texts.entries()) if (text !== undefined) put(batch.key, at, text);
        }
        write(batch);
      }
      return next;
    },
    clear(): void {
      for (const name of names(heads, messages, others, notes)) storage.removeItem(name);
      used = 0;
    },
  };
}
