import { attempt } from '@sluice/sdk-core';
import { type Head } from './stored.js';

interface Table<Value> {
  get(key: string): IDBRequest<Value | undefined>;
  getAll(range?: IDBKeyRange): IDBRequest<Value[]>;
  put(value: Value, key: IDBValidKey): IDBRequest;
  delete(key: IDBValidKey | IDBKeyRange): IDBRequest;
}

interface Values {
  heads: Head;
  messages: readonly [index: number, text: string];
  values: unknown;
}

/** The tables of a transaction: batches by their keys, their messages by key and index, and small values. */
export type Tables = <Name extends keyof Values>(name: Name) => Table<Values[Name]>;

/** Runs `work` in one transaction. Resolves with its result once the transaction is complete. */
export type Run = <T>(work: (table: Tables) => Promise<T>) => Promise<T>;

export const tableNames = ['heads', 'messages', 'values'] as const;

export const awaitRequest = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = reject;
  });

/** @throws where IndexedDB is refused */
export function openTables(factory: IDBFactory): Promise<IDBDatabase> {
  const request = factory.open('sluice', 1);
  request.onupgradeneeded = () => {
    for (const name of tableNames) request.result.createObjectStore(name);
  };
  return awaitRequest(request);
}

/** Begins a transaction. The promise is that of `Run`. */
export function transact<T>(database: IDBDatabase, work: (table: Tables) => Promise<T>): [IDBTransaction, Promise<T>] {
  const transaction = database.transaction(tableNames, 'readwrite', { durability: 'relaxed' });
  const complete = new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = reject;
  });
  const result = work((name) => transaction.objectStore(name)).then(
    (done) => {
      // Ends it without waiting for this page, which may be slow while others wait. It may have ended already.
      attempt(() => transaction.commit());
      return done;
    },
    (error: unknown) => {
      transaction.abort();
      throw error;
    },
  );
  return [transaction, Promise.all([result, complete]).then(([done]) => done)];
}

/** The messages of a batch. */
export const messageRange = (key: string): IDBKeyRange => IDBKeyRange.bound([key], [key, []]);
