import { type Storage } from './storage.js';

/** The part of an MMKV instance that the SDK uses; `remove` exists since version 4, `delete` before. */
export interface Mmkv {
  getString(name: string): string | undefined;
  set(name: string, text: string): void;
  remove?(name: string): unknown;
  delete?(name: string): unknown;
  getAllKeys(): string[];
}

/** Keeps everything in an MMKV instance: `mmkvStorage(createMMKV({ id: 'sluice' }))`. Synchronous. */
export const mmkvStorage = (mmkv: Mmkv): Storage => ({
  getItem: (name) => mmkv.getString(name),
  setItem: (name, text) => mmkv.set(name, text),
  removeItem: (name) => (mmkv.remove ? mmkv.remove(name) : mmkv.delete?.(name)),
  getAllKeys: () => mmkv.getAllKeys(),
});
