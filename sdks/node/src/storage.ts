import { join, resolve } from 'node:path';
import { type Clock, type KeyValueStore, type Lifecycle, type QueueStore, type SluiceError } from '@sluice/sdk-core';
import { DirectoryQueue } from './store/directory-queue.js';
import { type Disk } from './store/disk.js';
import { checkOwner, newOwner } from './store/owner.js';
import { createValues } from './store/values.js';

/** How often a client looks for batches that others left in the directory. */
const lookEveryMs = 60_000;

/** The queue and the values of a client. */
export interface Storage {
  readonly queue?: QueueStore;
  readonly values: KeyValueStore;
  readonly lifecycle: Lifecycle;
  close(): Promise<void>;
}

export function memoryStorage(): Storage {
  const values = new Map<string, string>();
  return {
    values: {
      get: (name) => values.get(name) ?? null,
      set: (name, value) => void values.set(name, value),
      clear: () => values.clear(),
    },
    lifecycle: { subscribe: () => () => undefined },
    close: () => Promise.resolve(),
  };
}

/** Values that are kept; ids of persons belong to calls, not to a server. */
const storedNames: ReadonlySet<string> = new Set(['device', 'lost']);

interface DirectoryStorageParts {
  readonly directory: string;
  readonly source: string;
  readonly clock: Clock;
  readonly disk: Disk;
  readonly report: (error: SluiceError) => void;
}

export function directoryStorage({ directory, source, clock, disk, report }: DirectoryStorageParts): Storage {
  const root = resolve(directory);
  const owner = newOwner();
  const files = createValues(join(root, 'values', encodeURIComponent(source)), owner);
  const values = splitValues(files);
  const queue = new DirectoryQueue({
    root: join(root, 'batches'),
    owner,
    source,
    disk,
    clock,
    checkOwner,
    reporting: {
      damaged: join(root, 'damaged'),
      report: (message, count) => {
        if (count > 0) values.set('lost', String((Number(values.get('lost')) || 0) + count));
        report({ code: 'storage', message, count });
      },
    },
  });
  return {
    queue,
    values,
    lifecycle: createLookout(clock),
    close: () => queue.close(),
  };
}

function splitValues(files: KeyValueStore): KeyValueStore {
  const memory = new Map<string, string>();
  return {
    get: (name) => (storedNames.has(name) ? files.get(name) : (memory.get(name) ?? null)),
    set(name, value) {
      if (storedNames.has(name)) files.set(name, value);
      else memory.set(name, value);
    },
    clear() {
      memory.clear();
      files.clear();
    },
  };
}

/** Wakes the client every `lookEveryMs`, to look for batches of others. */
function createLookout(clock: Clock): Lifecycle {
  return {
    subscribe(listener) {
      let cancel: () => void;
      const wait = (): void => {
        cancel = clock.later(lookEveryMs, () => {
          listener('wake');
          wait();
        });
      };
      wait();
      return () => cancel();
    },
  };
}
