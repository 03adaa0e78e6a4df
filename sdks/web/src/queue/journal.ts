import { attempt } from '@sluice/sdk-core';
import { type Change, type Head, type Stored } from './stored.js';

const [heads, messages] = ['sluice.b.', 'sluice.m.'];
/** Prefix of the values that plugins store. */
const others = 'sluice.s.';
const mostMessages = 100;
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
  /** Bytes of the messages, as far as they are known. */
  let used: number | undefined;

  const names = (prefix: string): string[] => Object.keys(storage).filter((name) => name.startsWith(prefix));
  const lengthOf = (name: string): number => storage.getItem(name)?.length ?? 0;

  /** Undefined also if somebody else wrote it. */
  const head = (key: string): Head | undefined => attempt(() => JSON.parse(storage.getItem(heads + key) ?? '') as Head);

  function write(batch: Head): void {
    const name = heads + batch.key;
    const text = JSON.stringify(batch);
    storage.setItem(name, text.padEnd(lengthOf(name) || text.length + slack));
  }

  /** @throws when there is no room; then nothing of the message is stored */
  function put(key: string, index: number, text: string): void {
    storage.setItem(nameOf(key, index), text);
    if (used !== undefined) used += text.length;
  }

  function load(key: string): Stored | undefined {
    const batch = head(key);
    if (!batch) return undefined;
    const texts: string[] = [];
    for (let at = 0; at < mostMessages; at++) {
      const text = storage.getItem(nameOf(key, at));
      if (text !== null) texts[at] = text;
    }
    return { batch, texts };
  }

  /** Drops these messages; the batch stays. */
  function dropTexts({ batch, texts }: Stored): void {
    for (const at of texts.keys()) {
      if (texts[at] === undefined) continue;
      const name = nameOf(batch.key, at);
      if (used !== undefined) used -= lengthOf(name);
      storage.removeItem(name);
    }
  }

  const batches = (): Head[] => names(heads).flatMap((name) => head(name.slice(heads.length)) ?? []);

  return {
    head,
    write,
    put,
    load,
    dropTexts,
    batches,
    bytes: (): number => (used ??= names(messages).reduce((sum, name) => sum + lengthOf(name), 0)),
    /** Keys of the batches that have messages here, oldest first. */
    keys(): string[] {
      const keys = new Set(names(messages).map((name) => name.slice(messages.length, name.lastIndexOf('.'))));
      const filled = batches().filter(({ key }) => keys.has(key));
      return filled.sort((one, other) => one.created - other.created).map(({ key }) => key);
    },
    /** Changes a batch, and returns what `change` returned. */
    change(key: string, change: Change): readonly Stored[] | undefined {
      const there = load(key);
      const next = change(there);
      if (there && next && !next.some(({ batch }) => batch.key === key)) {
        storage.removeItem(heads + key);
        dropTexts(there);
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
      for (const name of [heads, messages, others].flatMap(names)) storage.removeItem(name);
      used = 0;
    },
  };
}
