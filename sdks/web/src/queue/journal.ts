import { attempt, compareByAge, deriveKey } from '@sluice/sdk-core';
import { type Change, type Head, type Stored } from './stored.js';

const [heads, messages] = ['sluice.b.', 'sluice.m.'];
/** Prefix of the values that plugins store. */
const pluginPrefix = 'sluice.s.';
/** Prefix of the notes of pages (kill-note.ts), also of those that have ended. */
export const notes = 'sluice.n.';
const maxMessages = 100;
/** Characters by which the numbers of a head can grow: an update takes no more room. */
const slack = 120;

const messageName = (key: string, index: number): string => `${messages}${key}.${index}`;

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
      .filter(({ key }) => !this.#isMoved(key))
      .sort(compareByAge);
  }

  /** True if a batch became another one. Removes its entries that a tab killed in `move` has left. */
  #isMoved(key: string): boolean {
    return !!this.head(deriveKey(key, 0)) && !!this.change(key, () => []);
  }

  /** Replaces a batch without doubts by the batch `key.0`. The replacement is in force once the head of `key.0` is written. */
  move(key: string, [next]: readonly Stored[]): boolean {
    if (!next || this.head(key)?.doubts !== 0) return false;
    try {
      this.change(next.batch.key, () => [next]);
    } catch (error) {
      this.drop(next);
      throw error;
    }
    return this.#isMoved(key);
  }

  bytes(): number {
    return (this.#used ??= this.#names(heads, messages).reduce((sum, name) => sum + this.#entryLength(name), 0));
  }

  load(key: string): Stored | undefined {
    const batch = this.head(key);
    if (!batch) return undefined;
    const { sealed, count } = batch;
    const texts: string[] = [];
    for (let index = 0; index < maxMessages; index++) {
      const text = this.#storage.getItem(messageName(key, index));
      if (text !== null) texts[index] = text;
      // Its owner may have appended more after another page had sealed it.
      else if (sealed && index >= count) break;
    }
    return { batch, texts };
  }

  write(batch: Head): void {
    const name = heads + batch.key;
    const text = JSON.stringify(batch);
    const lengthBefore = this.#entryLength(name);
    this.#set(name, text.padEnd(lengthBefore || text.length + slack), lengthBefore);
  }

  /** Adds a message. */
  put(key: string, index: number, text: string): void {
    this.#set(messageName(key, index), text);
  }

  /** Changes a batch, and returns what `change` returned. */
  change(key: string, change: Change): readonly Stored[] | undefined {
    const stored = this.load(key);
    const next = change(stored);
    if (stored && next && !next.some(({ batch }) => batch.key === key)) {
      this.drop(stored);
      this.#remove(heads + key);
    }
    for (const { batch, texts } of next ?? []) {
      if (texts !== stored?.texts) {
        for (const [index, text] of texts.entries()) if (text !== undefined) this.put(batch.key, index, text);
      }
      this.write(batch);
    }
    return next;
  }

  /** Drops these messages, and the batch if it is sealed. */
  drop({ batch, texts }: Stored): void {
    for (const index of texts.keys()) if (texts[index] !== undefined) this.#remove(messageName(batch.key, index));
    if (batch.sealed) this.#remove(heads + batch.key);
  }

  /**
   * Removes the batches of a source, and what its pages and plugins have noted. Returns the keys with their numbers of
   * messages.
   */
  clear(sourceIdentifier: string): [key: string, messages: number][] {
    const batches = this.batches().filter((head) => head.sourceIdentifier === sourceIdentifier);
    for (const name of this.#names(pluginPrefix, `${notes}sluice.${sourceIdentifier}.`)) this.#storage.removeItem(name);
    const cleared = batches.map(({ key }): [string, number] => {
      const count = this.load(key)?.texts.filter(Boolean).length ?? 0;
      this.change(key, () => []);
      return [key, count];
    });
    // Texts of a batch that could not be written whole: nothing sends them, and nobody knows whose they are.
    for (const name of this.#names(messages)) {
      const key = name.slice(messages.length).replace(/\.\d+$/, '');
      if (!this.head(key)) this.#remove(name);
    }
    return cleared;
  }

  #names(...prefixes: string[]): string[] {
    return Object.keys(this.#storage).filter((name) => prefixes.some((prefix) => name.startsWith(prefix)));
  }

  #entryLength(name: string): number {
    return this.#storage.getItem(name)?.length ?? 0;
  }

  /** @throws when there is no room; then nothing is changed */
  #set(name: string, text: string, lengthBefore = 0): void {
    this.#storage.setItem(name, text);
    if (this.#used !== undefined) this.#used += text.length - lengthBefore;
  }

  #remove(name: string): void {
    if (this.#used !== undefined) this.#used -= this.#entryLength(name);
    this.#storage.removeItem(name);
  }
}
