import { setImmediate } from 'node:timers/promises';
import { type Device, type StoredBatch } from '@sluice/sdk-contract';
import { type KeyValueStore, type QueueStore } from '@sluice/sdk-core';
import { IDBFactory } from 'fake-indexeddb';
import { PageValues } from '../page/values.js';
import { Database, type Tables } from './database.js';
import { fakeStorage } from './fake-storage.spec-support.js';
import { Journal } from './journal.js';
import { WebQueue } from './web-queue.js';

export type Stores = 'both' | 'localStorage' | 'IndexedDB';

/** Turns of the event loop in which the stand-in for IndexedDB has finished. */
const turns = 40;

/** The stores of a browser under the clients of a vector. */
export class WebDevice implements Device {
  isFull = false;
  private readonly storage = fakeStorage(() => this.isFull);
  private readonly factory = new IDBFactory();
  private owners = 0;

  constructor(private readonly stores: Stores) {}

  queue(): QueueStore {
    const owner = `page-${++this.owners}`;
    return new WebQueue({
      journal: this.stores === 'IndexedDB' ? undefined : new Journal(this.storage),
      database: this.database(),
      owner: () => owner,
      isLeaving: () => false,
      isOwned: () => () => false,
      sealed: () => undefined,
    });
  }

  values(): KeyValueStore {
    const page = { cookie: '', location: { hostname: 'shop.test', protocol: 'https:' } };
    return new PageValues('Source000001', this.storage, page as Document);
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
    await this.queue().clear();
  }

  loseValues(): void {
    for (const name of ['device', 'anonymousId', 'userId', 'lost']) {
      this.storage.removeItem(`sluice.Source000001.${name}`);
    }
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < turns; turn++) await setImmediate();
  }

  private database(): Database {
    const { stores, factory } = this;
    return new FullDatabase(
      () => (stores === 'localStorage' ? undefined : factory),
      () => this.isFull,
    );
  }
}

/** Refuses to store messages while it is full. */
class FullDatabase extends Database {
  constructor(
    factory: () => IDBFactory | undefined,
    private readonly isFull: () => boolean,
  ) {
    super(factory);
  }

  override run<T>(work: (tables: Tables) => Promise<T>): Promise<T> {
    return super.run(({ texts, ...tables }) => {
      const put: typeof texts.put = (value, key) => {
        if (this.isFull()) throw new DOMException('', 'QuotaExceededError');
        return texts.put(value, key);
      };
      return work({
        ...tables,
        texts: {
          get: (key) => texts.get(key),
          getAll: () => texts.getAll(),
          delete: (key) => texts.delete(key),
          clear: () => texts.clear(),
          put,
        },
      });
    });
  }
}
