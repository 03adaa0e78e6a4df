import { type MaybePromise } from '@sluice/sdk-core';
import { run, type Steps, wait } from './steps.js';
import { type Storage } from './storage.js';

/** Files of one folder. A write may be cut off by a crash. */
export interface Files {
  /** Names of the files; makes the folder if it is missing. */
  list(): MaybePromise<readonly string[]>;
  read(file: string): MaybePromise<string>;
  write(file: string, text: string): unknown;
  remove(file: string): unknown;
}

/** Separates a name from the number of its version. */
const mark = ',';

/**
 * Texts in files. Each write makes a new file, `<name>,<version>`, and then removes the one before: neither Android nor
 * iOS writes a file atomically, so a crash may leave a part of the new one, but the old one is then still whole.
 */
export function filesStorage(files: Files): Storage {
  return new FilesStorage(files);
}

class FilesStorage implements Storage {
  /** Versions by name, newest last. */
  private versions: Map<string, number[]> | undefined;

  constructor(private readonly files: Files) {}

  // The calls are fields: apps may take them off the storage, or spread it into one of their own.
  readonly getItem = (name: string): MaybePromise<string | null> => run(this.get(name));
  readonly setItem = (name: string, text: string): MaybePromise<void> => run(this.set(name, text));
  readonly removeItem = (name: string): MaybePromise<void> => run(this.remove(name));
  readonly getAllKeys = (): MaybePromise<string[]> => run(this.names());

  private *names(): Steps<string[]> {
    return [...(yield* this.index()).keys()];
  }

  private *index(): Steps<Map<string, number[]>> {
    if (this.versions) return this.versions;
    const found = new Map<string, number[]>();
    for (const file of yield* wait(this.files.list())) {
      const [name = '', version = ''] = file.split(mark);
      if (/^\d+$/.test(version))
        found.set(
          name,
          [...(found.get(name) ?? []), Number(version)].sort((one, other) => one - other),
        );
    }
    // Another call may have listed the folder since, and written to it.
    return (this.versions ??= found);
  }

  private *get(name: string): Steps<string | null> {
    const known = yield* this.index();
    for (;;) {
      const all = known.get(name);
      try {
        for (const version of [...(all ?? [])].reverse()) {
          const text = unsealed(yield* wait(this.files.read(fileOf(name, version))));
          if (text !== undefined) return text;
        }
        // The files are parts of first writes, which were never acknowledged.
        if (all) yield* this.remove(name);
        return null;
      } catch (error) {
        // The file may have been replaced while it was read.
        if (known.get(name) === all) throw error;
      }
    }
  }

  private *set(name: string, text: string): Steps<void> {
    const known = yield* this.index();
    const before = known.get(name) ?? [];
    const version = (before[before.length - 1] ?? 0) + 1;
    try {
      yield* wait(this.files.write(fileOf(name, version), sealed(text)));
    } catch (error) {
      // Removes the part that was written; if it stays, `get` passes over it, and the next version is a new file.
      known.set(name, [...before, version]);
      yield* wait(this.files.remove(fileOf(name, version)));
      known.set(name, before);
      throw error;
    }
    known.set(name, [version]);
    try {
      yield* this.removeAll(name, before);
    } catch {
      // An older version does no damage next to the newer one, and the next start finds both.
      known.set(name, [...before, version]);
    }
  }

  private *remove(name: string): Steps<void> {
    const known = yield* this.index();
    yield* this.removeAll(name, known.get(name) ?? []);
    known.delete(name);
  }

  /** Removes the files from the oldest on: a crash on the way leaves the newest one. */
  private *removeAll(name: string, of: readonly number[]): Steps<void> {
    for (const version of of) yield* wait(this.files.remove(fileOf(name, version)));
  }
}

const fileOf = (name: string, version: number): string => name + mark + String(version);

/** Appends the length to a text: a file that was cut off, or that a loss of power filled with zeros, lacks it. */
const sealed = (text: string): string => `${text}\n#${text.length}`;

function unsealed(content: string): string | undefined {
  const end = content.lastIndexOf('\n#');
  return end >= 0 && content.slice(end + 2) === String(end) ? content.slice(0, end) : undefined;
}
