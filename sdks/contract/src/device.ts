import { setImmediate } from 'node:timers/promises';
import { type Batch, type KeyValueStore, type QueueStore } from '@sluice/sdk-core';
import { MemoryQueue } from './memory-queue.js';

export interface StoredBatch {
  readonly batch: Batch;
  readonly texts: readonly string[];
}

/** The stores of a platform on a device, and the faults that a runner injects. */
export interface Device {
  /** True makes writes that need room fail. */
  isFull: boolean;
  /** The store as a new client of this source sees it. A killed client learns nothing more from the platform. */
  queue(sourceIdentifier?: string, life?: { readonly isAlive: boolean }): QueueStore;
  values(): KeyValueStore;
  value(name: string): string | null;
  /** All batches, in the order in which they were made. */
  batches(): StoredBatch[] | Promise<StoredBatch[]>;
  loseQueue(): void | Promise<void>;
  loseValues(): void;
  /** Waits until nothing is left but timers and requests that hang. */
  settle(): Promise<unknown>;
}

export class MemoryDevice implements Device {
  private readonly store = new MemoryQueue();
  private readonly smallValues = new Map<string, string>();

  get isFull(): boolean {
    return this.store.isFull;
  }

  set isFull(isFull: boolean) {
    this.store.isFull = isFull;
  }

  queue(): QueueStore {
    return this.store;
  }

  values(): KeyValueStore {
    const { smallValues } = this;
    return {
      get: (name) => smallValues.get(name) ?? null,
      set: (name, value) => {
        if (this.isFull) throw new Error('no room');
        smallValues.set(name, value);
      },
      clear: () => smallValues.clear(),
    };
  }

  value(name: string): string | null {
    return this.smallValues.get(name) ?? null;
  }

  batches(): StoredBatch[] {
    return [...this.store.batches.values()].map(({ batch, texts }) => ({
      batch,
      texts: texts.map((text) => text ?? '{}'),
    }));
  }

  loseQueue(): void {
    this.store.batches.clear();
  }

  loseValues(): void {
    this.smallValues.clear();
  }

  settle(): Promise<unknown> {
    return setImmediate();
  }
}
