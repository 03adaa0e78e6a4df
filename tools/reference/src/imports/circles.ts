import { posix } from 'node:path';
import ts from 'typescript';
import { type Repository } from '../references/repository.js';

const isSource = (path: string): boolean => /\.(?:tsx?|mjs|js)$/.test(path) && !path.endsWith('.d.ts');

/**
 * Finds the circles of imports between files; `import type`, re-exports and `import()` count. Each circle is the sorted
 * list of the files that reach one another.
 */
export function importCircles(repository: Repository): string[][] {
  const imports = readImports(repository);
  const reached = new Map([...imports.keys()].map((file) => [file, reachedFrom(file, imports)]));
  const circles = [...reached]
    .filter(([file, reachedFiles]) => reachedFiles.has(file))
    .map(([file, reachedFiles]) =>
      [...reachedFiles].filter((reachedFile) => reached.get(reachedFile)?.has(file)).sort(),
    );
  return [...new Map(circles.map((circle) => [circle.join('\n'), circle])).values()];
}

/** The files that each file imports itself. */
function readImports(repository: Repository): Map<string, string[]> {
  const files = new Set(repository.paths.filter(isSource));
  const packages = readPackages(repository);
  const resolvePath = (file: string, name: string): string | undefined => {
    if (!name.startsWith('.')) return packages.get(name);
    const path = posix.join(posix.dirname(file), name);
    return [path, path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx')].find((candidate) =>
      files.has(candidate),
    );
  };
  return new Map(
    [...files].map((file) => {
      const { importedFiles } = ts.preProcessFile(repository.read(file), true, true);
      const importedPaths = importedFiles.map(({ fileName }) => resolvePath(file, fileName));
      return [file, importedPaths.filter((importedPath) => importedPath !== undefined)];
    }),
  );
}

interface PackageJson {
  readonly name?: string;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

/** Source file of each entry of Sluice's own packages, by the name under which it is imported. */
function readPackages(repository: Repository): Map<string, string> {
  const entries = repository.paths
    .filter((path) => path.endsWith('/package.json'))
    .flatMap((path) => {
      const { name = '', exports = {} } = JSON.parse(repository.read(path)) as PackageJson;
      return Object.entries(exports).flatMap(([entry, target]) => {
        const source = typeof target === 'string' ? undefined : target['@sluice/source'];
        return source === undefined
          ? []
          : [[posix.join(name, entry), posix.join(posix.dirname(path), source)] as const];
      });
    });
  return new Map(entries);
}

function reachedFrom(file: string, imports: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>();
  const open = [file];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const imported of imports.get(next) ?? []) {
      if (reached.has(imported)) continue;
      reached.add(imported);
      open.push(imported);
    }
  }
  return reached;
}
