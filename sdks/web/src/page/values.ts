import { type KeyValueStore, valueNames } from '@sluice/sdk-core';

/** Small values of one source in localStorage. */
export function createValues(source: string, storage: Storage): KeyValueStore {
  const prefix = `sluice.${source}.`;
  return {
    get: (name) => storage.getItem(prefix + name),
    set(name, value) {
      storage.setItem(prefix + name, value);
    },
    clear() {
      for (const name of valueNames) storage.removeItem(prefix + name);
    },
  };
}
