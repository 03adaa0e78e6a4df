import { attempt } from '@sluice/sdk-core';
import { type Change, type Head, type Stored } from './stored.js';

/** IndexedDB of all pages and workers of an origin. */
export interface Database {
  /**
   * Runs `work` in one transaction. Resolves with its result once the transaction is complete.
   * @param isSpare what it writes is elsewhere, too: it may be given up when the page leaves
   */
  run<T>(work: (table: Tables) => Promise<T>, isSpare?: boolean): Promise<T>;
  /** True from an open that failed until one that succeeds. */
  readonly isRefused: () => boolean;
  /**
   * A page that keeps a connection may be kept out of the back-forward cache; and one whose transactions keep other pages
   * waiting is thrown out of it: while the page is away, those that can be spared end, and none begins.
   */
  readonly letGo: (isAway: boolean) => void;
}

interface Table<Value> {
  get(key: string): IDBRequest<Value | undefined>;
  getAll(range?: IDBKeyRange): IDBRequest<Value[]>;
  put(value: Value, key: IDBValidKey): IDBRequest;
  delete(key: IDBValidKey | IDBKeyRange): IDBRequest;
  clear(): IDBRequest<undefined>;
}

interface Values {
  heads: Head;
  messages: readonly [index: number, text: string];
  values: unknown;
}

/** The tables of a transaction: batches by their keys, their messages by key and index, and small values. */
export type Tables = <Name extends keyof Values>(name: Name) => Table<Values[Name]>;

const names = ['heads', 'messages', 'values'] as const;
const patience = 3_000;
const anotherTry = 5_000;

export const resultOf = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => {
      resolve(request.result);
    };
    request.onerror = reject;
  });

// eslint-disable-next-line max-lines-per-function -- a factory of short functions: private names cost a page nothing
export function createDatabase(factory: () => IDBFactory | undefined): Database {
  let opened: Promise<IDBDatabase> | undefined;
  let isRefused = false;
  let isAway = false;
  const spare = new Set<IDBTransaction>();

  function open(): Promise<IDBDatabase> {
    isRefused = false;
    const opening = new Promise<IDBDatabase>((resolve, reject) => {
      // Some browsers never answer.
      setTimeout(reject, patience);
      const request = factory()?.open('sluice', 1);
      if (!request) throw new Error();
      request.onupgradeneeded = () => {
        for (const name of names) request.result.createObjectStore(name);
      };
      resultOf(request).then((database) => {
        database.onversionchange = database.onclose = () => {
          letGo(isAway);
        };
        resolve(database);
      }, reject);
    });
    opening.catch(() => {
      isRefused = true;
      // There was no room, perhaps, or the machine was busy.
      setTimeout(() => {
        if (opened === opening) opened = undefined;
      }, anotherTry);
    });
    return opening;
  }

  function letGo(isGone: boolean): void {
    isAway = isGone;
    if (isAway) {
      for (const one of spare) {
        attempt(() => {
          one.abort();
        });
      }
    }
    opened?.then(
      (database) => {
        database.close();
      },
      () => undefined,
    );
    opened = undefined;
  }

  return {
    letGo,
    isRefused: () => isRefused,
    async run(work, isSpare) {
      if (isSpare && isAway) throw new Error();
      const transaction = (await (opened ??= open())).transaction(names, 'readwrite', {
        durability: 'relaxed',
      });
      const complete = new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = reject;
      });
      const done = () => spare.delete(transaction);
      if (isSpare) {
        spare.add(transaction);
        complete.then(done, done);
      }
      const result = work((name) => transaction.objectStore(name)).catch((error: unknown) => {
        transaction.abort();
        throw error;
      });
      return (await Promise.all([result, complete]))[0];
    },
  };
}

export const headsIn = (database: Database, isSpare = false): Promise<Head[]> =>
  database.run((table) => resultOf(table('heads').getAll()), isSpare);

export async function clearIn(database: Database): Promise<void> {
  await database.run((table) => Promise.all(names.map((name) => resultOf(table(name).clear()))));
}

/** Changes a batch in one transaction. Resolves with what `change` returned. */
export const changeIn = (
  database: Database,
  key: string,
  change: Change,
  isSpare = false,
): Promise<readonly Stored[] | undefined> =>
  database.run(async (table) => {
    const [heads, messages] = [table('heads'), table('messages')];
    const all = IDBKeyRange.bound([key], [key, []]);
    const [batch, rows] = await Promise.all([resultOf(heads.get(key)), resultOf(messages.getAll(all))]);
    const texts: string[] = [];
    for (const [at, text] of rows) texts[at] = text;
    const next = change(batch && { batch, texts });
    if (next && !next.some((stored) => stored.batch.key === key && stored.texts.length > 0)) {
      heads.delete(key);
      messages.delete(all);
    }
    for (const stored of next ?? []) {
      const name = stored.batch.key;
      heads.put(stored.batch, name);
      stored.texts.forEach((text, at) => {
        // A note of a try takes no more room.
        if (text !== undefined && (text !== texts[at] || name !== key)) messages.put([at, text], [name, at]);
      });
    }
    return next;
  }, isSpare);

/**
 * Appends messages to open batches in one transaction; its cost does not depend on the messages that are there. Resolves
 * with the keys of the batches that took theirs.
 */
export const appendIn = (database: Database, batches: Iterable<Stored>, isSpare: boolean): Promise<Set<string>> =>
  database.run(async (table) => {
    const taken = new Set<string>();
    await Promise.all(
      Array.from(batches, async ({ batch, texts }) => {
        const { key } = batch;
        const there = await resultOf(table('heads').get(key));
        if (texts[0] === undefined ? !there || there.sealed : there) return;
        taken.add(key);
        if (!there) table('heads').put(batch, key);
        texts.forEach((text, at) => {
          if (text !== undefined) table('messages').put([at, text], [key, at]);
        });
      }),
    );
    return taken;
  }, isSpare);
