import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files of a repository, by path from its root. */
export interface Repository {
  readonly paths: readonly string[];
  read(path: string): string;
}

/** Folders that tools generate, as in .gitignore. */
const generatedFolders = new Set(['node_modules', 'dist']);
const includedDotFiles = new Set(['.ci', '.npmrc', '.gitignore', '.dockerignore', '.prettierignore', '.oxlintrc.json']);

export function repositoryAt(root: string): Repository {
  const paths: string[] = [];
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      if (generatedFolders.has(entry.name) || (entry.name.startsWith('.') && !includedDotFiles.has(entry.name)))
        continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile()) paths.push(path);
    }
  };
  walk('');
  return { paths, read: (path) => readFileSync(join(root, path), 'utf8') };
}
