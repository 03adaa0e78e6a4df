import { attempt, byAge } from '@sluice/sdk-core';
import { type Change, type Head, type Stored } from './stored.js';

const [heads, messages] = ['sluice.b.', 'sluice.m.'];
/** Prefix of the values that plugins store. */
const others = 'sluice.s.';
/** Prefix of the notes of pages (kill-note.ts), also of those that have ended. */
export const notes = 'sluice.n.';
const maxMessages = 100;
/** Characters by which the numbers of a head can grow: an update takes no more room. */
const slack = 120;

const nameOf = (key: string, index: number): string => `${messages}${key}.${index}`;

/**
 * Batches in localStorage: one entry for each message, so that an event costs the same however long the queue is, and
 * one for the batch. Synchronous: a write that returned survives the tab's kill. Any method can throw.
 */
export class Journal {
  readonly #storage: Storage;
  /** Characters of all entries; undefined until they are counted again. */
  #used: number | undefined;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Undefined also if the text is not one of this library. */
  head(key: string): Head | undefined {
    const text = this.#storage.getItem(heads + key);
    return text ? attempt(() => JSON.parse(text) as Head) : undefined;
  }

  /** All batches, oldest first. */
  batches(): Head[] {
    // Other tabs write and remove, too.
    this.#used = undefined;
    return this.#names(heads)
      .flatMap((name) => this.head(name.slice(heads.length)) ?? [])
      .sort(byAge);
  }

  bytes(): number {
    return (this.#used ??= this.#names(heads, messages).reduce((sum, name) => sum + this.#lengthOf(name), 0));
  }

  load(key: string): Stored | undefined {
    const batch = this.head(key);
    if (!batch) return undefined;
    const { sealed, count } = batch;
    const texts: string[] = [];
    for (let at = 0; at < maxMessages; at++) {
      const text = this.#storage.getItem(nameOf(key, at));
      if (text !== null) texts[at] = text;
      // Its owner may have appended more after another page had sealed it.
      else if (sealed && at >= count) break;
    }
    return { batch, texts };
  }

  write(batch: Head): void {
    const name = heads + batch.key;
    const text = JSON.stringify(batch);
    const before = this.#lengthOf(name);
    this.#set(name, text.padEnd(before || text.length + slack), before);
  }

  /** Adds a message. */
  put(key: string, index: number, text: string): void {
    this.#set(nameOf(key, index), text);
  }

  /** Changes a batch, and returns what `change` returned. */
  change(key: string, change: Change): readonly Stored[] | undefined {
    const there = this.load(key);
    const next = change(there);
    if (there && next && !next.some(({ batch }) => batch.key === key)) {
      this.drop(there);
      this.#remove(heads + key);
    }
    for (const { batch, texts } of next ?? []) {
      if (texts !== there?.texts) {
        for (const [at, text] of texts.entries()) if (text !== undefined) this.put(batch.key, at, text);
      }
      this.write(batch);
    }
    return next;
  }

  /** Drops these messages, and the batch if it is sealed. */
  drop({ batch, texts }: Stored): void {
    for (const at of texts.keys()) if (texts[at] !== undefined) this.#remove(nameOf(batch.key, at));
    if (batch.sealed) this.#remove(heads + batch.key);
  }

  clear(): void {
    for (const name of this.#names(heads, messages, others, notes)) this.#storage.removeItem(name);
    this.#used = 0;
  }

  #names(...prefixes: string[]): string[] {
    return Object.keys(this.#storage).filter((name) => prefixes.some((prefix) => name.startsWith(prefix)));
  }

  #lengthOf(name: string): number {
    return this.#storage.getItem(name)?.length ?? 0;
  }

  /** @throws when there is no room; then nothing is changed */
  #set(name: string, text: string, before = 0): void {
    this.#storage.setItem(name, text);
    if (this.#used !== undefined) this.#used += text.length - before;
  }

  #remove(name: string): void {
    if (this.#used !== undefined) this.#used -= this.#lengthOf(name);
    this.#storage.removeItem(name);
  }
}
