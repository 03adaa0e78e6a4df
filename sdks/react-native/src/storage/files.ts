import { type MaybePromise } from '@sluice/sdk-core';
import { runSteps, type Steps, wait } from './steps.js';
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
  readonly getItem = (name: string): MaybePromise<string | null> => runSteps(this.get(name));
  readonly setItem = (name: string, text: string): MaybePromise<void> => runSteps(this.set(name, text));
  readonly removeItem = (name: string): MaybePromise<void> => runSteps(this.remove(name));
  readonly getAllKeys = (): MaybePromise<string[]> => runSteps(this.names());

  private *names(): Steps<string[]> {
    return [...(yield* this.index()).keys()];
  }

  private *index(): Steps<Map<string, number[]>> {
    if (this.versions) return this.versions;
    const versionsByName = new Map<string, number[]>();
    for (const file of yield* wait(this.files.list())) {
      const [name = '', version = ''] = file.split(mark);
      if (/^\d+$/.test(version))
        versionsByName.set(
          name,
          [...(versionsByName.get(name) ?? []), Number(version)].sort((first, second) => first - second),
        );
    }
    // Another call may have listed the folder since, and written to it.
    return (this.versions ??= versionsByName);
  }

  private *get(name: string): Steps<string | null> {
    const index = yield* this.index();
    for (;;) {
      const versions = index.get(name);
      try {
        for (const version of [...(versions ?? [])].reverse()) {
          const text = removeLength(yield* wait(this.files.read(fileName(name, version))));
          if (text !== undefined) return text;
        }
        // The files are parts of first writes, which were never acknowledged.
        if (versions) yield* this.remove(name);
        return null;
      } catch (error) {
        // The file may have been replaced while it was read.
        if (index.get(name) === versions) throw error;
      }
    }
  }

  private *set(name: string, text: string): Steps<void> {
    const index = yield* this.index();
    const earlierVersions = index.get(name) ?? [];
    const version = (earlierVersions[earlierVersions.length - 1] ?? 0) + 1;
    try {
      yield* wait(this.files.write(fileName(name, version), appendLength(text)));
    } catch (error) {
      // Removes the part that was written; if it stays, `get` passes over it, and the next version is a new file.
      index.set(name, [...earlierVersions, version]);
      yield* wait(this.files.remove(fileName(name, version)));
      index.set(name, earlierVersions);
      throw error;
    }
    index.set(name, [version]);
    try {
      yield* this.removeAll(name, earlierVersions);
    } catch {
      // An older version does no damage next to the newer one, and the next start finds both.
      index.set(name, [...earlierVersions, version]);
    }
  }

  private *remove(name: string): Steps<void> {
    const index = yield* this.index();
    yield* this.removeAll(name, index.get(name) ?? []);
    index.delete(name);
  }

  /** Removes the files from the oldest on: a crash on the way leaves the newest one. */
  private *removeAll(name: string, versions: readonly number[]): Steps<void> {
    for (const version of versions) yield* wait(this.files.remove(fileName(name, version)));
  }
}

const fileName = (name: string, version: number): string => name + mark + String(version);

/** Appends the length to a text: a file that was cut off, or that a loss of power filled with zeros, lacks it. */
const appendLength = (text: string): string => `${text}\n#${text.length}`;

function removeLength(content: string): string | undefined {
  const end = content.lastIndexOf('\n#');
  return end >= 0 && content.slice(end + 2) === String(end) ? content.slice(0, end) : undefined;
}
