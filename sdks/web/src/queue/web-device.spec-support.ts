import { setImmediate } from 'node:timers/promises';
import { type Device, type StoredBatch } from '@sluice/sdk-contract';
import { type KeyValueStore, type QueueStore } from '@sluice/sdk-core';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { createValues } from '../page/values.js';
import { createDatabase, type Database } from './database.js';
import { type Tables } from './tables.js';
import { fakeStorage } from './fake-storage.spec-support.js';
import { Journal } from './journal.js';
import { WebQueue } from './web-queue.js';

globalThis.IDBKeyRange = IDBKeyRange;

export type Stores = 'both' | 'localStorage' | 'IndexedDB';

/** Turns of the event loop after which the stand-in for IndexedDB has finished; moving a full queue takes more than 40. */
const turns = 120;

/** The stores of a browser under the clients of a vector. */
export class WebDevice implements Device {
  isFull = false;
  private readonly storage = fakeStorage(() => this.isFull);
  private readonly factory = new IDBFactory();
  private owners = 0;

  constructor(private readonly stores: Stores) {}

  queue(): QueueStore {
    const owner = `page-${++this.owners}`;
    const journal = this.stores === 'IndexedDB' ? undefined : new Journal(this.storage);
    return new WebQueue(journal, this.database(), {
      owner,
      isLeaving: () => false,
      isSender: () => true,
      isOwned: () => () => false,
      wake: () => undefined,
    });
  }

  values(): KeyValueStore {
    return createValues('Source000001', this.storage);
  }

  value(name: string): string | null {
    return this.storage.getItem(`sluice.Source000001.${name}`);
  }

  async batches(): Promise<StoredBatch[]> {
    const queue = this.queue();
    const batches = await queue.list();
    return Promise.all(
      batches
        .sort((one, other) => one.created - other.created)
        .map(async (batch) => ({ batch, texts: (await queue.read(batch.key)) ?? [] })),
    );
  }

  async loseQueue(): Promise<void> {
    await this.queue().clear('Source000001');
  }

  loseValues(): void {
    for (const name of ['device', 'anonymousId', 'userId', 'lost']) {
      this.storage.removeItem(`sluice.Source000001.${name}`);
    }
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < turns; turn++) await setImmediate();
  }

  /** Refuses to store messages while it is full. */
  private database(): Database {
    const { stores, factory } = this;
    const database = createDatabase(() => (stores === 'localStorage' ? undefined : factory));
    const refusing =
      (table: Tables): Tables =>
      (name) => {
        const store = table(name);
        return {
          get: (key) => store.get(key),
          getAll: (range) => store.getAll(range),
          delete: (key) => store.delete(key),
          put: (value, key) => {
            if (this.isFull && name === 'messages') throw new DOMException('', 'QuotaExceededError');
            return store.put(value, key);
          },
        };
      };
    return { ...database, run: (work) => database.run((table) => work(refusing(table))) };
  }
}
