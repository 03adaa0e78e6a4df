import { type Batch, bodyOf, derivedKey, type MaybePromise, type QueueStore, utf8Bytes } from '@sluice/sdk-core';
import { type Database, resultOf, type Tables } from './database.js';
import { type Journal } from './journal.js';
import { type Head, merged, mergedHead, noteTry, type Stored, unbroken } from './stored.js';

export interface QueueSurroundings {
  /** Undefined where localStorage is refused. */
  readonly journal: Journal | undefined;
  readonly database: Database;
  /** This page, as the owner of its open batches. */
  owner(): string;
  /** Whether the page may end before a promise resolves. */
  isLeaving(): boolean;
  /** Whether another page still appends to an open batch. */
  isOwned(): MaybePromise<(head: Head) => boolean>;
  /** A batch of this page is sealed in both stores. */
  sealed(): void;
}

/**
 * Batches in localStorage and IndexedDB. localStorage is written before a call returns, and survives the tab; IndexedDB
 * follows, and survives the browser. A batch is what both know of it. While the page may end, what localStorage has is
 * enough: nothing waits for IndexedDB.
 */
export class WebQueue implements QueueStore {
  /** Open batches of this page. The client keeps their numbers up to date. */
  private readonly own = new Map<string, Batch>();

  constructor(private readonly around: QueueSurroundings) {}

  async list(): Promise<Batch[]> {
    const known = new Map<string, Head>();
    const fromDatabase = await this.inDatabase(({ heads }) => resultOf(heads.getAll())).catch(() => []);
    const stored = new Set(fromDatabase.map(({ key }) => key));
    for (const head of [...fromDatabase, ...(this.inJournal((journal) => journal.heads()) ?? [])]) {
      const other = known.get(head.key);
      known.set(head.key, other ? { ...mergedHead(other, head), isDivided: other.isDivided ?? false } : head);
    }
    const isOwned = await this.around.isOwned();
    const free = [...known.values()].filter(
      (head) => !head.isDivided && (head.sealed || !(this.own.has(head.key) || isOwned(head))),
    );
    for (const { key } of free) if (!stored.has(key)) this.copy(key);
    return free;
  }

  /** What only localStorage has of a page that ended would not survive the browser. */
  private copy(key: string): void {
    this.inDatabase(async (tables) => {
      const there = await resultOf(tables.heads.get(key));
      const local = there ? undefined : this.inJournal((journal) => journal.load(key));
      if (local) put(tables, local);
    }).catch(() => undefined);
  }

  append(batch: Batch, index: number, text: string): MaybePromise<boolean> {
    const head: Head = { ...batch, sealed: false, owner: this.around.owner() };
    if (index === 0) this.own.set(batch.key, batch);
    const isKept = this.inJournal((journal) => keep(journal, head, index, text, this.around.database.isRefused));
    if (isKept === false) return false;
    const stored = this.inDatabase(async ({ heads, texts }) => {
      const there = await resultOf(heads.get(head.key));
      if (index > 0 ? !there || there.sealed : there) return false;
      const list = (index > 0 ? await resultOf(texts.get(head.key)) : undefined) ?? [];
      list[index] = text;
      texts.put(list, head.key);
      heads.put(head, head.key);
      return true;
    }, isKept);
    if (!isKept) {
      return stored.catch((error: unknown) => {
        // It was cleared in the only store there is.
        if (isKept === null && this.isOnlyJournal()) return false;
        throw error;
      });
    }
    stored.then(
      (isTaken) => {
        // localStorage mirrors what there is room for; beyond it holds what IndexedDB does not have yet.
        this.inJournal((journal) => {
          if (isTaken && journal.isFull) journal.dropMessage(head.key, index);
        });
      },
      () => undefined,
    );
    return true;
  }

  seal(key: string): MaybePromise<number | undefined> {
    const batch = this.own.get(key);
    const head = batch && this.inJournal((journal) => journal.head(key));
    if (!batch || !head) return this.sealStored(key);
    this.own.delete(key);
    if (head.sealed) return head.count;
    const sealed = { ...head, count: batch.count, bytes: batch.bytes, sealed: true };
    this.inJournal((journal) => {
      journal.write(sealed);
    });
    const { count } = batch;
    void this.sealStored(key).catch(() => undefined);
    return count;
  }

  async read(key: string): Promise<string[] | undefined> {
    const stored = await this.load(key);
    return stored && unbroken(stored.texts, stored.head.sealed ? stored.head.count : undefined);
  }

  update(batch: Batch, doubts: number): MaybePromise<number | undefined> {
    const noted = this.inJournal((journal) => journal.note(batch, doubts));
    const stored = this.inDatabase(async ({ heads }) => {
      const head = await resultOf(heads.get(batch.key));
      if (head?.isDivided) return null;
      if (!head) return undefined;
      const sum = noteTry(head, batch, doubts);
      heads.put(head, head.key);
      return sum;
    }, noted !== undefined);
    if (noted === undefined) {
      return stored.then(
        (sum) => sum ?? undefined,
        (error: unknown) => {
          if (this.isOnlyJournal()) return undefined;
          throw error;
        },
      );
    }
    const other = stored.catch(() => 0);
    return this.around.isLeaving()
      ? noted
      : other.then((sum) => (sum === null ? undefined : Math.max(sum ?? 0, noted)));
  }

  /** Only where IndexedDB makes it one operation; else the batch stays whole. */
  async replace(key: string, parts: readonly { batch: Batch; texts: string[] }[]): Promise<boolean> {
    const whole = this.inJournal((journal) => journal.load(key));
    const isReplaced = await this.inDatabase(async (tables) => {
      const stored = merged(await storedIn(tables, key), whole);
      if (!stored || stored.head.isDivided || stored.head.doubts > 0) return false;
      // A copy in localStorage may outlive this: the mark keeps it from being sent.
      put(tables, { head: { ...stored.head, isDivided: true }, texts: [] });
      for (const { batch, texts } of parts) put(tables, { head: batch, texts });
      return true;
    }).catch(() => false);
    if (isReplaced) {
      this.inJournal((journal) => {
        if (whole) journal.drop(whole);
        for (const { batch, texts } of parts) journal.save({ head: batch, texts });
      });
    }
    return isReplaced;
  }

  async remove(batch: Batch): Promise<void> {
    this.own.delete(batch.key);
    this.inJournal((journal) => {
      const stored = journal.load(batch.key);
      if (!stored) return;
      journal.drop(stored);
      const rest = restOf(stored, batch.count);
      if (rest) journal.save(rest);
    });
    await this.inDatabase(async (tables) => {
      const stored = await storedIn(tables, batch.key);
      if (!stored || stored.head.isDivided) return;
      tables.heads.delete(batch.key);
      tables.texts.delete(batch.key);
      const rest = restOf(stored, batch.count);
      if (rest) put(tables, rest);
    }).catch((error: unknown) => {
      if (!this.around.journal) throw error;
    });
  }

  async clear(): Promise<void> {
    this.own.clear();
    this.inJournal((journal) => {
      journal.clear();
    });
    await this.inDatabase(async ({ heads, texts, values }) => {
      heads.clear();
      // Erases the settings that the page stored for the service worker.
      values.clear();
      await resultOf(texts.clear());
    }).catch(() => undefined);
  }

  /** Seals it in both stores, with the messages that either has. */
  private async sealStored(key: string): Promise<number | undefined> {
    const batch = this.own.get(key);
    this.own.delete(key);
    const local = this.inJournal((journal) => journal.load(key));
    const seal = (stored: Stored): Head => {
      if (stored.head.sealed) return stored.head;
      const texts = unbroken(stored.texts, batch?.count);
      return { ...stored.head, sealed: true, count: texts.length, bytes: utf8Bytes(bodyOf(texts)) };
    };
    const head = await this.inDatabase(async (tables) => {
      const there = await storedIn(tables, key);
      const stored = there?.head.isDivided ? undefined : merged(there, local);
      if (!stored) return undefined;
      const sealed = seal(stored);
      put(tables, { head: sealed, texts: stored.texts });
      return sealed;
    }).catch((error: unknown) => {
      if (local) return seal(local);
      if (this.isOnlyJournal()) return undefined;
      throw error;
    });
    this.inJournal((journal) => {
      // Tries may have been noted meanwhile.
      const now = journal.head(key);
      if (head && now && !now.sealed) journal.write({ ...now, sealed: true, count: head.count, bytes: head.bytes });
    });
    this.around.sealed();
    return head?.count;
  }

  private async load(key: string): Promise<Stored | undefined> {
    const local = this.inJournal((journal) => journal.load(key));
    const stored = await this.inDatabase((tables) => storedIn(tables, key)).catch(() => undefined);
    return stored?.head.isDivided ? undefined : merged(stored, local);
  }

  private isOnlyJournal(): boolean {
    return this.around.journal !== undefined && this.around.database.isRefused;
  }

  /** @param isKept localStorage has what it writes; without localStorage nothing can be spared */
  private inDatabase<T>(work: (tables: Tables) => Promise<T>, isKept: boolean | null = true): Promise<T> {
    return this.around.database.run(work, this.around.journal !== undefined && isKept === true);
  }

  /** Undefined when localStorage is refused, or has no room. */
  private inJournal<T>(work: (journal: Journal) => T): T | undefined {
    try {
      return this.around.journal && work(this.around.journal);
    } catch {
      return undefined;
    }
  }
}

/**
 * True when it is kept, false when the batch is sealed, null when localStorage does not have the batch.
 * @param isAlone there is no other store, and this one must not take all the room that the site has
 */
function keep(journal: Journal, head: Head, index: number, text: string, isAlone: boolean): boolean | null | undefined {
  const there = journal.head(head.key);
  if (index > 0 ? there?.sealed : there) return false;
  if (index > 0 && !there) return null;
  if (isAlone && journal.isFull) return undefined;
  if (index === 0) journal.write(head);
  try {
    journal.put(head.key, index, text);
  } catch (error) {
    if (index === 0) journal.drop({ head, texts: [] });
    throw error;
  }
  return true;
}

/** The messages that came after those that were sent. */
function restOf({ head, texts }: Stored, count: number): Stored | undefined {
  const later = texts.slice(count);
  if (later.length === 0) return undefined;
  const rest = { ...head };
  delete rest.owner;
  return { head: { ...rest, key: derivedKey(head.key, count), sealed: false, tries: 0 }, texts: later };
}

function put({ heads, texts }: Tables, stored: Stored): void {
  heads.put(stored.head, stored.head.key);
  texts.put(stored.texts, stored.head.key);
}

async function storedIn({ heads, texts }: Tables, key: string): Promise<Stored | undefined> {
  const head = await resultOf(heads.get(key));
  const list = await resultOf(texts.get(key));
  return head && { head, texts: list ?? [] };
}
