import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ExpoFiles, type LegacyExpoFiles } from './expo-files.js';
import { type Files } from './files.js';

/** The files of a folder, as expo-file-system has them. */
export function filesOf(folder: string): Files {
  return {
    list() {
      mkdirSync(folder, { recursive: true });
      return readdirSync(folder);
    },
    read: (file) => readFileSync(join(folder, file), 'utf8'),
    write: (file, text) => writeFileSync(join(folder, file), text),
    remove: (file) => rmSync(join(folder, file), { force: true }),
  };
}

/** Classes of the form of expo-file-system, on a folder of this machine. */
export function expoFilesOf(document: string): ExpoFiles {
  const pathOf = (parts: readonly unknown[]): string => join(...(parts as string[]));
  class File {
    private readonly path: string;
    constructor(...parts: unknown[]) {
      this.path = pathOf(parts);
    }
    get exists(): boolean {
      return readdirSync(join(this.path, '..')).some((name) => this.path.endsWith(`/${name}`));
    }
    write(text: string): void {
      writeFileSync(this.path, text);
    }
    textSync(): string {
      return readFileSync(this.path, 'utf8');
    }
    text(): Promise<string> {
      return readFile(this.path, 'utf8');
    }
    delete(): void {
      rmSync(this.path);
    }
  }
  class Directory {
    private readonly path: string;
    constructor(...parts: unknown[]) {
      this.path = pathOf(parts);
    }
    get exists(): boolean {
      return readdirSync(join(this.path, '..')).some((name) => this.path.endsWith(`/${name}`));
    }
    create(): void {
      mkdirSync(this.path, { recursive: true });
    }
    list(): { name: string }[] {
      return readdirSync(this.path).map((name) => ({ name }));
    }
  }
  return { File, Directory, Paths: { document } };
}

/** Functions of the form of expo-file-system/legacy. */
export const legacyFilesOf = (folder: string): LegacyExpoFiles => ({
  documentDirectory: `${folder}/`,
  async makeDirectoryAsync(uri) {
    await mkdir(uri);
  },
  readDirectoryAsync: (uri) => readdir(uri),
  readAsStringAsync: (uri) => readFile(uri, 'utf8'),
  writeAsStringAsync: (uri, text) => writeFile(uri, text),
  deleteAsync: (uri, options) => rm(uri, { force: options?.idempotent ?? false }),
});
