import { filesStorage } from './files.js';
import { type Storage } from './storage.js';

/** The part of expo-file-system that the SDK uses since SDK 54 (`expo-file-system/next` before). */
export interface ExpoFiles {
  readonly File: new (...parts: never[]) => ExpoFile;
  readonly Directory: new (...parts: never[]) => ExpoDirectory;
  readonly Paths: { readonly document: unknown };
}

interface ExpoFile {
  readonly exists: boolean;
  write(text: string): unknown;
  textSync?(): string;
  text(): unknown;
  delete(): void;
}

interface ExpoDirectory {
  readonly exists: boolean;
  create(options?: object): void;
  list(): readonly { readonly name: string }[];
}

type Constructor<T> = new (...parts: unknown[]) => T;

/** Keeps everything in files of the app's documents: `expoFileStorage({ File, Directory, Paths })`. Synchronous. */
export function expoFileStorage({ File, Directory, Paths }: ExpoFiles, folder = 'sluice'): Storage {
  const directory = new (Directory as Constructor<ExpoDirectory>)(Paths.document, folder);
  const openFile = (name: string): ExpoFile => new (File as Constructor<ExpoFile>)(Paths.document, folder, name);
  return filesStorage({
    list() {
      if (!directory.exists) directory.create({ intermediates: true });
      return directory.list().map(({ name }) => name);
    },
    read(name) {
      const file = openFile(name);
      // Before SDK 54 `text` was synchronous.
      return file.textSync ? file.textSync() : (file.text() as string);
    },
    write: (name, text) => openFile(name).write(text),
    remove(name) {
      const file = openFile(name);
      if (file.exists) file.delete();
    },
  });
}

/** The part of `expo-file-system/legacy` that the SDK uses; it was expo-file-system before SDK 54. */
export interface LegacyExpoFiles {
  readonly documentDirectory: string | null;
  makeDirectoryAsync(uri: string, options?: { intermediates?: boolean }): Promise<void>;
  readDirectoryAsync(uri: string): Promise<string[]>;
  readAsStringAsync(uri: string): Promise<string>;
  writeAsStringAsync(uri: string, text: string): Promise<void>;
  deleteAsync(uri: string, options?: { idempotent?: boolean }): Promise<void>;
}

/** Like `expoFileStorage`, with the older API. Asynchronous. */
export function legacyFileStorage(files: LegacyExpoFiles, folder = 'sluice'): Storage {
  const fileUri = (name: string): string => `${files.documentDirectory ?? ''}${folder}/${name}`;
  return filesStorage({
    async list() {
      // Fails on Android if the folder exists.
      await files.makeDirectoryAsync(fileUri(''), { intermediates: true }).catch(() => undefined);
      return files.readDirectoryAsync(fileUri(''));
    },
    read: (name) => files.readAsStringAsync(fileUri(name)),
    write: (name, text) => files.writeAsStringAsync(fileUri(name), text),
    remove: (name) => files.deleteAsync(fileUri(name), { idempotent: true }),
  });
}
