import { type Storage } from './storage.js';

/** The part of `expo-sqlite/kv-store` that the SDK uses. */
export interface SqliteStore {
  getItemSync(name: string): string | null;
  setItemSync(name: string, text: string): void;
  removeItemSync(name: string): unknown;
  getAllKeysSync(): string[];
}

/** Keeps everything in the key-value store of expo-sqlite. Synchronous. */
export const sqliteStorage = (store: SqliteStore): Storage => ({
  getItem: (name) => store.getItemSync(name),
  setItem: (name, text) => store.setItemSync(name, text),
  removeItem: (name) => store.removeItemSync(name),
  getAllKeys: () => store.getAllKeysSync(),
});
