import { type Change, type Head, type Stored } from './stored.js';

/** IndexedDB of all pages and workers of an origin. */
export interface Database {
  /** Runs `work` in one transaction. Resolves with its result once the transaction is complete. */
  run<T>(work: (table: Tables) => Promise<T>): Promise<T>;
  /** A browser that refuses it once refuses it until the page is shown again. */
  readonly isRefused: () => boolean;
  /** A page that keeps a connection may be kept out of the back-forward cache. What was begun is finished. */
  readonly letGo: () => void;
}

interface Table<Value> {
  get(key: string): IDBRequest<Value | undefined>;
  getAll(): IDBRequest<Value[]>;
  put(value: Value, key: string): IDBRequest;
  delete(key: string): IDBRequest;
  clear(): IDBRequest<undefined>;
}

interface Values {
  heads: Head;
  texts: Stored['texts'];
  values: unknown;
}

/** The tables of a transaction: batches by their keys, their messages by the same keys, and small values. */
export type Tables = <Name extends keyof Values>(name: Name) => Table<Values[Name]>;

const names = ['heads', 'texts', 'values'] as const;
const patience = 3_000;

export const resultOf = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => {
      resolve(request.result);
    };
    request.onerror = reject;
  });

export function createDatabase(factory: () => IDBFactory | undefined): Database {
  let opened: Promise<IDBDatabase> | undefined;
  let isRefused = false;

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
        database.onversionchange = database.onclose = letGo;
        resolve(database);
      }, reject);
    });
    opening.catch(() => (isRefused = true));
    return opening;
  }

  function letGo(): void {
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
    async run(work) {
      const transaction = (await (opened ??= open())).transaction(names, 'readwrite');
      const complete = new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = reject;
      });
      const result = work((name) => transaction.objectStore(name)).catch((error: unknown) => {
        transaction.abort();
        throw error;
      });
      return (await Promise.all([result, complete]))[0];
    },
  };
}

export const headsIn = (database: Database): Promise<Head[]> =>
  database.run((table) => resultOf(table('heads').getAll()));

export async function clearIn(database: Database): Promise<void> {
  await database.run((table) => Promise.all(names.map((name) => resultOf(table(name).clear()))));
}

/** Changes a batch in one transaction. Resolves with what `change` returned. */
export const changeIn = (database: Database, key: string, change: Change): Promise<readonly Stored[] | undefined> =>
  database.run(async (table) => {
    const [heads, texts] = [table('heads'), table('texts')];
    const batch = await resultOf(heads.get(key));
    const list = await resultOf(texts.get(key));
    const next = change(batch && { batch, texts: list ?? [] });
    if (!next) return undefined;
    if (!next.some((stored) => stored.batch.key === key)) {
      heads.delete(key);
      texts.delete(key);
    }
    for (const stored of next) {
      heads.put(stored.batch, stored.batch.key);
      // A note of a try takes no more room.
      if (stored.texts !== list) texts.put(stored.texts, stored.batch.key);
    }
    return next;
  });
