import { attempt, type Batch, derivedKey, type MaybePromise, type QueueStore, sealWith } from '@sluice/sdk-core';
import { createGroups } from './change-groups.js';
import { clearIn, type Database, headsIn } from './database.js';
import { type Journal } from './journal.js';
import { type Change, type Head, merged, mergedHead, noted, type Stored, unbroken } from './stored.js';

/** The page that the queue belongs to, among others of its origin. */
export interface Page {
  /** Name of this page as the owner of its open batches. */
  readonly owner: string;
  /** True if the page may end before a promise resolves. */
  isLeaving(): boolean;
  /** Tells which open batches other pages still append to. */
  isOwned(): MaybePromise<(head: Pick<Head, 'owner' | 'created'>) => boolean>;
  /** True if this page sends. */
  isSender(): boolean;
  /** Tells the page that sends of a new batch. */
  wake(): void;
}

/** Bytes of the newest messages that stay in localStorage; and the room above, so that older ones leave together. */
const mirrored = 1_048_576;
const spare = 131_072;
const repairAfter = 5_000;

const ignore = (): undefined => undefined;
const same: Change = (there) => there && [there];

/**
 * Batches in localStorage and IndexedDB. localStorage is written before a call returns, and survives the tab; IndexedDB
 * follows, and survives the browser. A batch is what both know of it. While the page may end, what localStorage has is
 * enough: nothing waits for IndexedDB.
 * @param journal undefined where localStorage is refused
 */
// eslint-disable-next-line max-lines-per-function -- a factory of short functions: private names cost a page nothing
export function createQueue(journal: Journal | undefined, database: Database, page: Page): QueueStore {
  let isTrimming = false;
  let mending: ReturnType<typeof setTimeout> | undefined;
  /** Open batches of which IndexedDB lacks a message. */
  const lacking = new Set<string>();
  const { change: changeStored, forget } = createGroups(database, () => page.isLeaving());

  /** Undefined when localStorage is refused, or has no room. */
  const inJournal = <T>(work: (journal: Journal) => T): T | undefined => journal && attempt(() => work(journal));
  /** After an error of IndexedDB: a batch that localStorage lacks too is gone if localStorage is the only store. */
  function gone(error: unknown): undefined {
    if (!journal || !database.isRefused()) throw error;
  }

  /**
   * Changes a batch in IndexedDB, as both stores together have it. Without IndexedDB it returns the change of what
   * localStorage has.
   */
  async function change(key: string, make: Change): ReturnType<typeof changeStored> {
    const local = inJournal((journal) => journal.load(key));
    try {
      return await changeStored({ key, change: (there) => make(merged(there, local)) }, !!local);
    } catch (error) {
      if (local) mend();
      else gone(error);
      return local && make(local);
    }
  }

  /** Changes a batch in both stores. */
  const changeBoth = (key: string, make: Change) => ({
    stored: change(key, make),
    local: inJournal((journal) => journal.change(key, make)),
  });

  /** IndexedDB lacks something: all is copied later on, when there may be room. It would not survive the browser. */
  function mend(): void {
    mending ??= setTimeout(() => {
      mending = undefined;
      copyAll(inJournal((journal) => journal.batches()) ?? []);
    }, repairAfter);
  }

  /** Copies a batch from localStorage to IndexedDB. Resolves with it as both have it. */
  function copy({ key }: Pick<Head, 'key'>): ReturnType<typeof changeStored> {
    const local = inJournal((journal) => journal.load(key));
    return changeStored({ key, change: (there) => same(merged(there, local)) }, true);
  }

  function copyAll(heads: readonly Head[]): void {
    for (const head of heads) copy(head).catch(mend);
  }

  /** True when localStorage keeps the message, false when the batch is sealed, undefined when there is no room for it. */
  const keep = (head: Head, index: number, text: string): boolean | undefined =>
    inJournal((journal) => {
      const there = journal.head(head.key);
      if (index > 0 ? there?.sealed : there) return false;
      // The only store must not take all the room that the site has.
      if ((index > 0 && !there) || (database.isRefused() && journal.bytes() > mirrored)) return undefined;
      if (index === 0) journal.write(head);
      try {
        journal.put(head.key, index, text);
      } catch (error) {
        if (index === 0) journal.change(head.key, () => []);
        throw error;
      }
      return true;
    });

  /** Drops the oldest batches from localStorage beyond the mirror, once IndexedDB has all of them. */
  async function trim(): Promise<void> {
    if (!journal || isTrimming || journal.bytes() <= mirrored + spare) return;
    isTrimming = true;
    const drop = async (head: Head): Promise<void> => {
      const [stored] = (await copy(head)) ?? [];
      // A page that ends notes its tries in localStorage only.
      if (stored && !page.isLeaving()) journal.drop(stored);
    };
    try {
      for (const list = journal.batches(); list[0] && journal.bytes() > mirrored;) {
        await Promise.all(list.splice(0, 4).map(drop));
      }
    } finally {
      isTrimming = false;
    }
  }

  /** Seals it in both stores, with the messages that either has. */
  async function sealStored({ key, sealed, count }: Batch): Promise<number | undefined> {
    const next = await change(key, (stored) => {
      if (!stored || stored.batch.sealed) return stored && [stored];
      const texts = unbroken(stored.texts, sealed ? count : undefined);
      return [{ ...stored, batch: { ...stored.batch, ...sealWith(texts) } }];
    });
    const head = next?.[0]?.batch;
    inJournal((journal) => {
      // Tries may have been noted meanwhile.
      const now = journal.head(key);
      if (head && now) journal.write(sealedAs(head, now));
    });
    page.wake();
    return head?.count;
  }

  return {
    async list() {
      const known = new Map<string, Head>();
      const fromDatabase = await headsIn(database, !!journal).catch(() => []);
      for (const head of [...fromDatabase, ...(inJournal((journal) => journal.batches()) ?? [])]) {
        const other = known.get(head.key);
        known.set(head.key, other ? mergedHead(other, head) : head);
      }
      const isOwned = await page.isOwned();
      const free = [...known.values()].filter((head) => !head.isDivided && (head.sealed || !isOwned(head)));
      const stored = new Set(fromDatabase.map(({ key }) => key));
      // Copies batches of ended pages that only localStorage has: they would not survive the browser.
      copyAll(free.filter(({ key }) => !stored.has(key)));
      return free;
    },

    append(batch, index, text) {
      const head: Head = { ...batch, sealed: false, owner: page.owner };
      const isKept = keep(head, index, text);
      if (isKept === false) return false;
      const { key } = batch;
      const add: Change = (there) => {
        if (index > 0 ? !there || there.batch.sealed : there) return undefined;
        const texts = [...(there?.texts ?? [])];
        texts[index] = text;
        return [{ batch: there?.batch ?? head, texts }];
      };
      // A derived key may be there already, with its tries.
      const isNew = isKept && (index > 0 || !key.includes('.'));
      const stored = changeStored({ key, change: add, added: isNew && { index, text, head } }, isKept);
      if (!isKept) return stored.catch(gone).then(Boolean);
      const next = (): unknown => {
        // There is room again: a batch with a hole would be of no use if the browser ended before the next copy.
        if (lacking.delete(key)) copy(batch).catch(mend);
        return trim();
      };
      const failed = (): void => {
        lacking.add(key);
        mend();
      };
      stored.then(next, failed).catch(ignore);
      return true;
    },

    seal(batch) {
      const head = batch.sealed ? inJournal((journal) => journal.head(batch.key)) : undefined;
      if (!head) return sealStored(batch);
      if (head.sealed) return head.count;
      inJournal((journal) => journal.write(sealedAs(batch, head)));
      const { count } = batch;
      // The note of the first try brings the seal into IndexedDB.
      if (!page.isSender() || page.isLeaving()) sealStored(batch).catch(ignore);
      return count;
    },

    async read(key) {
      const [stored] = (await change(key, same)) ?? [];
      return stored && unbroken(stored.texts, stored.batch.sealed ? stored.batch.count : undefined);
    },

    update(batch, doubts) {
      const { stored, local } = changeBoth(
        batch.key,
        (there) => there && [{ ...there, batch: noted(there.batch, batch, doubts) }],
      );
      const sumOf = (there: readonly Stored[] | undefined): number | undefined => there?.[0]?.batch.doubts;
      return local && page.isLeaving() ? sumOf(local) : stored.then(sumOf);
    },

    /** Only where IndexedDB makes it one operation; else the batch stays whole. */
    async replace(key, parts) {
      const local = inJournal((journal) => journal.load(key));
      const divide: Change = (there) => {
        const stored = merged(there, local);
        if (!stored || stored.batch.doubts > 0) return undefined;
        // A copy in localStorage may outlive this: the mark keeps it from being sent.
        return [{ batch: { ...stored.batch, isDivided: true }, texts: [] }, ...parts];
      };
      const next = await changeStored({ key, change: divide }).catch(ignore);
      if (next) inJournal((journal) => journal.change(key, () => parts));
      return next !== undefined;
    },

    async remove({ key, count }) {
      await changeBoth(key, (there) => there && restOf(there, count)).stored;
    },

    async clear() {
      inJournal((journal) => journal.clear());
      forget();
      await clearIn(database).catch(ignore);
    },
  };
}

const sealedAs = ({ count, bytes }: Batch, head: Head): Head => ({ ...head, sealed: true, count, bytes });

/** The messages that came after those that were sent. */
function restOf({ batch, texts }: Stored, count: number): Stored[] {
  const later = texts.slice(count);
  const rest = { ...batch, owner: undefined, key: derivedKey(batch.key, count), sealed: false, tries: 0 };
  return later[0] === undefined ? [] : [{ batch: rest, texts: later }];
}
