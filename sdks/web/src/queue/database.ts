import { type Head } from './stored.js';

export interface Table<Value> {
  get(key: string): IDBRequest<Value | undefined>;
  getAll(): IDBRequest<Value[]>;
  put(value: Value, key: string): IDBRequest;
  delete(key: string): IDBRequest;
  clear(): IDBRequest<undefined>;
}

/** The tables of one transaction: batches by their keys, their messages by the same keys, and small values. */
export interface Tables {
  readonly heads: Table<Head>;
  readonly texts: Table<(string | undefined)[]>;
  readonly values: Table<unknown>;
}

const names = ['heads', 'texts', 'values'] as const;
const patience = 3_000;
const anotherTry = 5_000;

export const resultOf = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => {
      resolve(request.result);
    };
    request.onerror = () => {
      reject(request.error ?? new Error());
    };
  });

/** IndexedDB of all pages and workers of an origin. */
export class Database {
  private opened: Promise<IDBDatabase> | undefined;
  isRefused = false;
  private isAway = false;
  private readonly spare = new Set<IDBTransaction>();

  constructor(private readonly factory: () => IDBFactory | undefined) {}

  /**
   * Runs `work` in one transaction. Resolves with its result once the transaction is complete.
   * @param isSpare what it writes is elsewhere, too: it may be given up when the page leaves
   */
  async run<T>(work: (tables: Tables) => Promise<T>, isSpare = false): Promise<T> {
    if (isSpare && this.isAway) throw new Error();
    const database = await (this.opened ??= this.open());
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(names, 'readwrite');
      if (isSpare) this.spare.add(transaction);
      const [heads, texts, values] = names.map((name) => transaction.objectStore(name)) as unknown as [
        Tables['heads'],
        Tables['texts'],
        Tables['values'],
      ];
      let result: T;
      transaction.oncomplete = () => {
        this.spare.delete(transaction);
        resolve(result);
      };
      transaction.onabort = () => {
        this.spare.delete(transaction);
        reject(transaction.error ?? new Error());
      };
      work({ heads, texts, values }).then(
        (value) => (result = value),
        () => {
          // After an error of a request it is aborted already.
          try {
            transaction.abort();
          } catch {
            reject(new Error());
          }
        },
      );
    });
  }

  /** A page that keeps a connection may be kept out of the back-forward cache. What was begun is finished. */
  letGo(): void {
    this.opened?.then(
      (database) => {
        database.close();
      },
      () => undefined,
    );
    this.opened = undefined;
  }

  /**
   * The page may come back. In the back-forward cache its transactions would keep other pages waiting, and browsers
   * throw out a page that does: those that can be spared end, and none begins.
   */
  leave(): void {
    this.isAway = true;
    for (const transaction of this.spare) {
      try {
        transaction.abort();
      } catch {
        // It is complete.
      }
    }
    this.letGo();
  }

  comeBack(): void {
    this.isAway = false;
  }

  private open(): Promise<IDBDatabase> {
    this.isRefused = false;
    const opened = new Promise<IDBDatabase>((resolve, reject) => {
      // Some browsers never answer.
      setTimeout(reject, patience);
      const request = this.factory()?.open('sluice', 1);
      if (!request) {
        reject(new Error());
        return;
      }
      request.onupgradeneeded = () => {
        for (const name of names) request.result.createObjectStore(name);
      };
      resultOf(request).then((database) => {
        database.onversionchange = database.onclose = () => {
          this.letGo();
        };
        resolve(database);
      }, reject);
    });
    opened.catch(() => {
      this.isRefused = true;
      // There was no room, perhaps, or the machine was busy.
      setTimeout(() => {
        if (this.opened === opened) this.opened = undefined;
      }, anotherTry);
    });
    return opened;
  }
}
