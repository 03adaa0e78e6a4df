import { setImmediate } from 'node:timers/promises';
import { type Device, type StoredBatch } from '@sluice/sdk-contract';
import { type KeyValueStore, type QueueStore } from '@sluice/sdk-core';
import { decode } from './slot.js';
import { type FakeStorage, SlowStorage } from './fake-storages.spec-support.js';
import { KvQueue } from './kv-queue.js';
import { Slots } from './slots.js';
import { createValues } from './values.js';

/** Turns without work of the store until clients count as settled. In Hermes each step of a promise takes a turn. */
const quietTurns = 40;
const noTimers = { later: () => () => undefined };

/** The store of a phone, for the clients of a vector. */
export class KvDevice implements Device {
  constructor(private readonly storage: FakeStorage) {}

  get isFull(): boolean {
    return this.storage.isFull;
  }

  set isFull(isFull: boolean) {
    this.storage.isFull = isFull;
  }

  queue(sourceIdentifier = 'Source000001', life = { isAlive: true }): QueueStore {
    const isAsync = this.storage instanceof SlowStorage;
    const storage = this.storage instanceof SlowStorage ? this.storage.async(life) : this.storage.sync();
    return new KvQueue(
      new Slots(storage, { isAsync, clock: noTimers, failed: () => undefined, gone: () => undefined }),
      sourceIdentifier,
      { damaged: () => undefined, incomplete: () => undefined },
    );
  }

  /** The runner reads values at once; values.spec.ts tests those of an asynchronous store. */
  values(): KeyValueStore {
    return createValues('Source000001', this.storage.sync());
  }

  value(name: string): string | null {
    return this.storage.items.get(`sluice.v.Source000001.${name}`) ?? null;
  }

  batches(): StoredBatch[] {
    return [...this.storage.items]
      .filter(([name]) => name.startsWith('sluice.b.'))
      .flatMap(([, text]) => decode(text).slot)
      .sort(({ batch: one }, { batch: other }) => one.created - other.created);
  }

  loseQueue(): void {
    for (const name of this.storage.items.keys()) if (name.startsWith('sluice.b.')) this.storage.items.delete(name);
  }

  loseValues(): void {
    for (const name of this.storage.items.keys()) if (name.startsWith('sluice.v.')) this.storage.items.delete(name);
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < quietTurns; turn++) {
      await setImmediate();
      if (this.storage instanceof SlowStorage && this.storage.inWork > 0) turn = 0;
    }
  }
}
