import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeStorage, SlowStorage } from '../queue/fake-storages.spec-support.js';
import { expoFileStorage, legacyFileStorage } from './expo-files.js';
import { expoFilesOf, filesOf, legacyFilesOf } from './file-folder.spec-support.js';
import { filesStorage } from './files.js';
import { mmkvStorage } from './mmkv.js';
import { sqliteStorage } from './sqlite.js';
import { type Storage } from './storage.js';
import { testStorage } from './test-storage.js';

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-rn-'));
});
afterAll(() => rmSync(root, { recursive: true }));
const aFolder = (): string => mkdtempSync(join(root, 'device-'));

/** Objects of the form of the libraries, in memory. */
const texts = (): Map<string, string> => new Map();
function anMmkv(removal: 'remove' | 'delete') {
  const items = texts();
  return {
    getString: (name: string) => items.get(name),
    set: (name: string, text: string) => void items.set(name, text),
    [removal]: (name: string) => items.delete(name),
    getAllKeys: () => [...items.keys()],
  };
}
function aSqliteStore() {
  const items = texts();
  return {
    getItemSync: (name: string) => items.get(name) ?? null,
    setItemSync: (name: string, text: string) => void items.set(name, text),
    removeItemSync: (name: string) => items.delete(name),
    getAllKeysSync: () => [...items.keys()],
  };
}

const storages: readonly [name: string, make: () => Storage][] = [
  ['MMKV 4', () => mmkvStorage(anMmkv('remove'))],
  ['MMKV 3', () => mmkvStorage(anMmkv('delete'))],
  ['expo-sqlite/kv-store', () => sqliteStorage(aSqliteStore())],
  ['expo-file-system', () => expoFileStorage(expoFilesOf(aFolder()))],
  ['expo-file-system/legacy', () => legacyFileStorage(legacyFilesOf(aFolder()))],
  ['the form of AsyncStorage', () => new SlowStorage(3).async()],
  ['the same form, synchronous', () => new FakeStorage().sync()],
];

it.each(storages)('the adapter keeps the rules of a storage: %s', async (_, make) => {
  const storage = make();
  expect(await testStorage(storage)).toEqual([]);
  expect(await storage.getAllKeys()).toEqual([]);
});

const broken: readonly [rule: string, over: (storage: Storage) => Partial<Storage>][] = [
  ['all calls are synchronous', (storage) => ({ getItem: async (name) => await storage.getItem(name) })],
  ['a missing name', () => ({ getItem: () => '' })],
  ['getItem returns', () => ({ setItem: () => undefined })],
  ['100 KB', (storage) => ({ setItem: (name, text) => storage.setItem(name, text.slice(0, 65_536)) })],
  ['another is another', (storage) => ({ getItem: (name) => storage.getItem(name.replace(/\..-a_B$/, '')) })],
  ['getAllKeys names all', () => ({ getAllKeys: () => [] })],
  [
    'removeItem',
    (storage) => ({
      removeItem: (name) => {
        if (storage.getItem(name) == null) throw new Error('not found');
        storage.removeItem(name);
      },
    }),
  ],
];

it.each(broken)('testStorage names the rule that a store breaks: %s', async (rule, over) => {
  const storage = new FakeStorage().sync();
  const found = await testStorage({ ...storage, ...over(storage) });
  expect(found.join('\n')).toContain(rule);
});

describe('files', () => {
  it.each([0, 1, 5, 8])('a new file that was cut off after %i characters leaves the text before it', (cut) => {
    const folder = aFolder();
    void filesStorage(filesOf(folder)).setItem('a', 'first');
    writeFileSync(join(folder, 'a,2'), 'second\n#6'.slice(0, cut));
    const next = filesStorage(filesOf(folder));
    expect(next.getItem('a')).toBe('first');
    // The next write is whole, whatever lies there.
    void next.setItem('a', 'third');
    expect([filesStorage(filesOf(folder)).getItem('a'), readdirSync(folder)]).toEqual(['third', ['a,3']]);
  });

  it('an app may spread the storage into one of its own', async () => {
    expect(await testStorage({ ...filesStorage(filesOf(aFolder())) })).toEqual([]);
  });

  it('a first write that was cut off is removed', () => {
    const folder = aFolder();
    writeFileSync(join(folder, 'a,1'), 'fir');
    const storage = filesStorage(filesOf(folder));
    expect([storage.getItem('a'), storage.getAllKeys(), readdirSync(folder)]).toEqual([null, [], []]);
  });

  it('a write that fails changes nothing, and leaves no part of itself', () => {
    const folder = aFolder();
    const files = filesOf(folder);
    let isFull = false;
    const storage = filesStorage({
      ...files,
      write: (file, text) => {
        void files.write(file, isFull ? text.slice(0, 3) : text);
        if (isFull) throw new Error('disk full');
      },
    });
    void storage.setItem('a', 'first');
    isFull = true;
    expect(() => storage.setItem('a', 'second')).toThrow('disk full');
    expect([storage.getItem('a'), readdirSync(folder)]).toEqual(['first', ['a,1']]);
    isFull = false;
    void storage.setItem('a', 'third');
    expect([storage.getItem('a'), readdirSync(folder)]).toEqual(['third', ['a,2']]);
  });
});
