import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KeyValueStore } from '@sluice/sdk-core';
import { type Owner } from './owner.js';

const lostPrefix = 'lost-';

interface Cached {
  readonly value: string | null;
  /** Identity of the file that the value was read from. */
  readonly file: string;
}

/**
 * Small values of a source: one file each, replaced as a whole. `lost` is a sum over files, one for each client that
 * lost something: no client overwrites the count of another.
 */
export function createValues(folder: string, owner: Owner): KeyValueStore {
  const cache = new Map<string, Cached>();
  /** Names that the running synchronous code has looked up. */
  const fresh = new Set<string>();
  const ownLost = lostPrefix + owner;

  /** Messages that other clients lost, as this one last knew. */
  let lostByOthers: number | undefined;

  /** The content of a file, which is looked up once in each run of synchronous code. */
  function read(name: string): string | null {
    const cached = cache.get(name);
    if (cached && fresh.has(name)) return cached.value;
    if (fresh.size === 0) queueMicrotask(() => fresh.clear());
    fresh.add(name);
    const file = fileIdentity(join(folder, name));
    if (cached?.file === file) return cached.value;
    const value = file === '' ? null : readText(join(folder, name));
    cache.set(name, { value, file });
    // The folder was removed.
    if (name === 'device' && value === null) lostByOthers = undefined;
    return value;
  }

  function write(name: string, value: string): void {
    const path = join(folder, name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${path}.${owner}`, value);
    renameSync(`${path}.${owner}`, path);
    cache.delete(name);
  }

  const readLost = (name: string): number => Number(read(name)) || 0;
  const sumLostByOthers = (): number => {
    // Only names of files that were never completed have a dot.
    const names = listNames(folder).filter((name) => name.startsWith(lostPrefix) && !name.includes('.'));
    return names.reduce((sum, name) => sum + (name === ownLost ? 0 : readLost(name)), 0);
  };

  return {
    get(name) {
      if (name !== 'lost') return read(name);
      lostByOthers ??= sumLostByOthers();
      const lost = lostByOthers + readLost(ownLost);
      return lost > 0 ? String(lost) : null;
    },
    set(name, value) {
      if (name !== 'lost') write(name, value);
      else if (Number(value) > 0) write(ownLost, String(Number(value) - (lostByOthers ??= sumLostByOthers())));
    },
    clear() {
      rmSync(folder, { recursive: true, force: true });
      cache.clear();
      lostByOthers = undefined;
    },
  };
}

const fileIdentity = (path: string): string => {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.mtimeMs} ${stats.size}` : '';
};

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
