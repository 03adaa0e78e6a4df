import { type Clock, type KeyValueStore, type MaybePromise, valueNames } from '@sluice/sdk-core';
import { type Storage } from '../storage/storage.js';

const valueKey = (source: string, name: string): string => `sluice.v.${source.replace(/[^\w-]/g, '_')}.${name}`;

/** Max time for an asynchronous store to give the values; after that the ids are new for this run. */
const timeout = 5_000;

export interface Values extends KeyValueStore {
  /** Resolves when the values are known; undefined if they are known at once. */
  readonly ready?: Promise<unknown>;
  /** Resolves when everything is written, or the store hangs or fails; undefined if `set` writes at once. */
  readonly written?: () => Promise<unknown>;
  /** Checks whether the store was cleared, unless `get` reads the store anyway. */
  look(): MaybePromise<unknown>;
}

/** Small values of one source in a store that answers at once. */
export function createValues(source: string, storage: Storage): Values {
  return {
    get: (name) => (storage.getItem(valueKey(source, name)) as string | null | undefined) ?? null,
    set(name, value) {
      storage.setItem(valueKey(source, name), value);
    },
    clear() {
      for (const name of valueNames) storage.removeItem(valueKey(source, name));
    },
    look: () => undefined,
  };
}

/** Small values in a store that answers later: memory has what was read at the start and written since. */
export function createCachedValues(
  source: string,
  storage: Storage,
  clock: Pick<Clock, 'later'>,
  onFailure: (cause: unknown) => void,
): Values {
  const memory = new Map<string, string>();
  /** True once the values were read or cleared. Before that, a write would replace the ids of the device. */
  let isKnown = false;
  let writes: Promise<unknown> = Promise.resolve();
  const read = async (name: string): Promise<string | null> => (await storage.getItem(valueKey(source, name))) ?? null;

  async function readAll(): Promise<void> {
    const texts = await Promise.all(valueNames.map(read));
    // Cleared values must not come back.
    if (isKnown) return;
    for (const [index, name] of valueNames.entries()) {
      const text = texts[index];
      if (typeof text === 'string') memory.set(name, text);
    }
    isKnown = true;
  }

  /** Writes memory's value to the store, after all earlier writes. */
  function write(name: string): void {
    if (!isKnown) return;
    const make = (): unknown => {
      const value = memory.get(name);
      return value === undefined
        ? storage.removeItem(valueKey(source, name))
        : storage.setItem(valueKey(source, name), value);
    };
    writes = writes.then(make).catch(onFailure);
  }

  // A second try, because some stores fail while the app starts.
  const ready = limitTime(clock, readAll().catch(readAll));
  ready.catch(onFailure);
  return {
    ready,
    get: (name) => memory.get(name) ?? null,
    set(name, value) {
      memory.set(name, value);
      write(name);
    },
    clear() {
      memory.clear();
      isKnown = true;
      for (const name of valueNames) write(name);
    },
    written: () => limitTime(clock, writes).catch(() => undefined),
    async look() {
      // The client writes all values again when it finds one missing.
      if (isKnown && (await read('device').catch(() => '')) === null) memory.clear();
    },
  };
}

function limitTime<T>(clock: Pick<Clock, 'later'>, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.later(timeout, () => reject(new Error('the store does not answer')));
    work.then(resolve, reject).finally(cancel);
  });
}
