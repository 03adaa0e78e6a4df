import { attempt, type Batch, deriveKey, type QueueStore, makeSealedFields } from '@sluice/sdk-core';
import { createGroups } from './change-groups.js';
import { clearIn, type Database, headsIn } from './database.js';
import { type Journal } from './journal.js';
import { type KillNote } from './kill-note.js';
import { type Page } from './page.js';
import { type Change, type Head, mergeStored, mergeHeads, recordTry, type Stored, takeUnbroken } from './stored.js';

/** Characters that stay in localStorage, the newest; and the room above, so that older batches leave together. */
const mirrored = 1_048_576;
const spare = 131_072;
const copyAgainAfter = 5_000;

const ignore = (): undefined => undefined;
const keepUnchanged: Change = (stored) => stored && [stored];

type ChangeResult = Promise<readonly Stored[] | undefined>;

/**
 * Batches in localStorage and IndexedDB. localStorage is written before a call returns, and survives the tab; IndexedDB
 * follows, and survives the browser. A batch is merged from both. While the page may end, localStorage is enough:
 * nothing waits for IndexedDB.
 */
export class WebQueue implements QueueStore {
  readonly #journal: Journal | undefined;
  readonly #database: Database;
  readonly #page: Page;
  readonly #note: Pick<KillNote, 'prepare' | 'remove'> | undefined;
  readonly #groups: ReturnType<typeof createGroups>;
  /** Open batches of which IndexedDB lacks a message. */
  readonly #lacking = new Set<string>();
  #isTrimming = false;
  /** True while a copy of everything is planned. */
  #isCopyPlanned = false;

  /** @param journal undefined where localStorage is refused */
  constructor(
    journal: Journal | undefined,
    database: Database,
    page: Page,
    note?: Pick<KillNote, 'prepare' | 'remove'>,
  ) {
    this.#journal = journal;
    this.#database = database;
    this.#page = page;
    this.#note = note;
    this.#groups = createGroups(database, () => page.isLeaving());
  }

  async list(): Promise<Head[]> {
    const headsByKey = new Map<string, Head>();
    const fromDatabase = await headsIn(this.#database, !!this.#journal).catch(() => []);
    for (const head of [...fromDatabase, ...this.#headsInJournal()]) {
      const earlier = headsByKey.get(head.key);
      headsByKey.set(head.key, earlier ? mergeHeads(earlier, head) : head);
    }
    const isOwned = await this.#page.isOwned();
    const free = [...headsByKey.values()].filter((head) => !head.isDivided && (head.sealed || !isOwned(head)));
    const whole = new Set(fromDatabase.map(({ key, sealed }) => sealed && key));
    // Copies batches of ended pages that perhaps only localStorage has whole: they would not survive the browser.
    this.#copyAll(free.filter(({ key }) => !whole.has(key)));
    return free;
  }

  append(batch: Batch, index: number, text: string): boolean | Promise<boolean> {
    const { key } = batch;
    this.#note?.prepare();
    const head: Head = { ...batch, sealed: false, owner: this.#page.owner };
    const isKept = this.#keep(head, index, text);
    if (isKept === false) return false;
    // The store may have the head of a batch with a derived key already, with the tries of that batch.
    const isNew = isKept && (index > 0 || !key.includes('.'));
    const change = addMessage(head, index, text);
    const newMessage = isNew && { index, text, head };
    const stored = this.#groups.change({ key, change, newMessage, isOnlyCopy: !isKept }, isKept);
    if (!isKept) return stored.catch((error: unknown) => this.#goneAfter(error)).then(Boolean);
    const onFailure = (): void => {
      this.#lacking.add(key);
      this.#copyLater();
    };
    stored.then(() => this.#handleAppend(head), onFailure).catch(ignore);
    return true;
  }

  seal(batch: Batch): number | Promise<number | undefined> {
    const head = batch.sealed ? this.#inJournal((journal) => journal.head(batch.key)) : undefined;
    if (!head) return this.#sealInBoth(batch);
    if (head.sealed) return head.count;
    this.#inJournal((journal) => {
      journal.write(sealHead(batch, head));
    });
    const { count } = batch;
    // The first try, when it is recorded, brings the seal into IndexedDB.
    if (!this.#page.isSender() || this.#page.isLeaving()) this.#sealInBoth(batch).catch(ignore);
    return count;
  }

  async read(key: string): Promise<string[] | undefined> {
    const [stored] = (await this.#change(key, keepUnchanged)) ?? [];
    return stored && takeUnbroken(stored.texts, stored.batch.sealed ? stored.batch.count : undefined);
  }

  update(batch: Batch, doubts: number): number | undefined | Promise<number | undefined> {
    const { stored, local } = this.#changeBoth(
      batch.key,
      (before) => before && [{ ...before, batch: recordTry(before.batch, batch, doubts) }],
    );
    const readDoubts = (changed: readonly Stored[] | undefined): number | undefined => changed?.[0]?.batch.doubts;
    return local && this.#page.isLeaving() ? readDoubts(local) : stored.then(readDoubts);
  }

  /** Divides a batch only if IndexedDB can do it in one operation; else the batch stays whole. */
  async replace(key: string, parts: readonly { batch: Batch; texts: string[] }[]): Promise<boolean> {
    if (parts[1] === undefined && this.#database.isAbsent())
      return !!this.#inJournal((journal) => journal.move(key, parts));
    const divide: Change = (inDatabase) => {
      // Read within the transaction: a page that leaves notes its try in localStorage only.
      const stored = mergeStored(
        inDatabase,
        this.#inJournal((journal) => journal.load(key)),
      );
      if (!stored || stored.batch.doubts > 0) return undefined;
      // A copy in localStorage may survive: `isDivided` keeps it from being sent.
      return [{ batch: { ...stored.batch, isDivided: true }, texts: [] }, ...parts];
    };
    const next = await this.#groups.change({ key, change: divide }).catch(ignore);
    if (next) this.#inJournal((journal) => journal.change(key, () => parts));
    return next !== undefined;
  }

  async remove({ key, count }: Batch): Promise<void> {
    await this.#changeBoth(key, (before) => before && batchAfter(before, count)).stored;
  }

  async clear(sourceIdentifier: string): Promise<number> {
    this.#note?.remove();
    const messages = new Map(this.#inJournal((journal) => journal.clear(sourceIdentifier)));
    const forgotten = this.#groups.forget();
    const stored = await clearIn(this.#database, sourceIdentifier).catch(ignore);
    for (const [key, count] of stored ?? []) messages.set(key, Math.max(count, messages.get(key) ?? 0));
    return [...messages.values()].reduce((sum, count) => sum + count, forgotten);
  }

  /** Undefined when localStorage is refused, or has no room. */
  #inJournal<T>(work: (journal: Journal) => T): T | undefined {
    const journal = this.#journal;
    return journal && attempt(() => work(journal));
  }

  #headsInJournal(): readonly Head[] {
    return this.#inJournal((journal) => journal.batches()) ?? [];
  }

  /** After an error of IndexedDB: a batch that localStorage lacks too is gone if localStorage is the only store. */
  #goneAfter(error: unknown): undefined {
    if (!this.#journal || !this.#database.isRefused()) throw error;
  }

  /** True if localStorage keeps the message, false if the batch is sealed or its key is taken, undefined otherwise. */
  #keep(head: Head, index: number, text: string): boolean | undefined {
    return this.#inJournal((journal) => {
      const headInJournal = journal.head(head.key);
      if (index > 0 ? headInJournal?.sealed : headInJournal) return false;
      // The only store must not take all the room that the site has.
      if ((index > 0 && !headInJournal) || (this.#database.isRefused() && journal.bytes() > mirrored)) return undefined;
      if (index === 0) journal.write(head);
      try {
        journal.put(head.key, index, text);
      } catch (error) {
        if (index === 0) journal.change(head.key, () => []);
        throw error;
      }
      return true;
    });
  }

  #handleAppend(head: Head): Promise<void> {
    // There is room again: with a hole, the batch would be useless if the browser ended before the next copy.
    if (this.#lacking.delete(head.key)) this.#copyAll([head]);
    return this.#trim();
  }

  /** Drops the oldest batches from localStorage beyond the mirror, once IndexedDB has all of them. */
  async #trim(): Promise<void> {
    const journal = this.#journal;
    if (!journal || this.#isTrimming || journal.bytes() <= mirrored + spare) return;
    this.#isTrimming = true;
    const drop = async (head: Head): Promise<void> => {
      const [stored] = (await this.#copy(head)) ?? [];
      // A page that ends records its tries in localStorage only.
      if (stored && !this.#page.isLeaving()) journal.drop(stored);
    };
    try {
      for (const list = journal.batches(); list[0] && journal.bytes() > mirrored;) {
        await Promise.all(list.splice(0, 4).map(drop));
      }
    } finally {
      this.#isTrimming = false;
    }
  }

  /** Seals a batch in both stores, with the messages that either has. */
  async #sealInBoth({ key, sealed, count }: Batch): Promise<number | undefined> {
    const next = await this.#change(key, (stored) => {
      if (!stored || stored.batch.sealed) return stored && [stored];
      const texts = takeUnbroken(stored.texts, sealed ? count : undefined);
      return [{ ...stored, batch: { ...stored.batch, ...makeSealedFields(texts) } }];
    });
    const head = next?.[0]?.batch;
    this.#inJournal((journal) => {
      // Tries may have been recorded since.
      const current = journal.head(key);
      if (head && current) journal.write(sealHead(head, current));
    });
    this.#page.wake();
    return head?.count;
  }

  /** Changes a batch in both stores. */
  #changeBoth(key: string, make: Change): { stored: ChangeResult; local: readonly Stored[] | undefined } {
    return { stored: this.#change(key, make), local: this.#inJournal((journal) => journal.change(key, make)) };
  }

  /**
   * Changes a batch in IndexedDB, merged from both stores. Without IndexedDB it returns the change of the batch in
   * localStorage.
   */
  async #change(key: string, make: Change): ChangeResult {
    const local = this.#inJournal((journal) => journal.load(key));
    try {
      return await this.#groups.change({ key, change: (inDatabase) => make(mergeStored(inDatabase, local)) }, !!local);
    } catch (error) {
      if (local) this.#copyLater();
      else this.#goneAfter(error);
      return local && make(local);
    }
  }

  /** Copies a batch from localStorage to IndexedDB. Resolves with the merged batch. */
  #copy({ key }: Head): ChangeResult {
    const local = this.#inJournal((journal) => journal.load(key));
    return this.#groups.change({ key, change: (inDatabase) => keepUnchanged(mergeStored(inDatabase, local)) }, true);
  }

  #copyAll(heads: readonly Head[]): void {
    for (const head of heads) {
      this.#copy(head).catch(() => {
        this.#copyLater();
      });
    }
  }

  /** Copies all batches to IndexedDB later, when there may be room: those only in localStorage may not survive the browser. */
  #copyLater(): void {
    if (this.#isCopyPlanned) return;
    this.#isCopyPlanned = true;
    setTimeout(() => {
      this.#isCopyPlanned = false;
      this.#copyAll(this.#headsInJournal());
    }, copyAgainAfter);
  }
}

/** Adds a message to a batch; its first message adds the batch, too. */
const addMessage =
  (head: Head, index: number, text: string): Change =>
  (stored) => {
    if (index > 0 ? !stored || stored.batch.sealed : stored) return undefined;
    const texts = [...(stored?.texts ?? [])];
    texts[index] = text;
    return [{ batch: stored?.batch ?? head, texts }];
  };

const sealHead = ({ count, bytes }: Batch, head: Head): Head => ({ ...head, sealed: true, count, bytes });

/** A batch of the messages after those that were sent, if there are any. */
function batchAfter({ batch, texts }: Stored, count: number): Stored[] {
  const later = texts.slice(count);
  const laterBatch = { ...batch, owner: undefined, key: deriveKey(batch.key, count), sealed: false, tries: 0 };
  return later[0] === undefined ? [] : [{ batch: laterBatch, texts: later }];
}
