import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { isShipped } = (await import(join(root, 'deploy', 'shipped.mjs'))) as { isShipped: (file: string) => boolean };

/** The libraries of ours that images have: this one is a development dependency of all. */
const isOfImages = (project: string): boolean => !['apps/e2e', 'libs/testing'].includes(project);
const projects = ['apps', 'libs']
  .flatMap((kind) => globSync(`${kind}/*/package.json`, { cwd: root }))
  .map(dirname)
  .filter(isOfImages);

/** Relative paths in a source that name another: imports, workers and processes of its own. */
const named = /['"](\.{1,2}\/[^'"]+\.js)['"]/g;

/** The files that a source names, itself included, and those that they name. */
function reachable(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(named)) {
    // A worker may be named as it is built.
    const other = join(dirname(file), path).replace('/dist/', '/src/').replace(/\.js$/, '.ts');
    if (existsSync(other)) reachable(other, seen);
  }
  return seen;
}

it.each(projects)('images take of %s only what it uses itself, not what its tests use', (project) => {
  const folder = join(root, project, 'src');
  const entry = ['main.ts', 'index.ts'].map((name) => join(folder, name)).find(existsSync);
  const used = reachable(entry ?? '');
  const shipped = globSync('**/*.ts', { cwd: folder })
    .filter(isShipped)
    .map((name) => join(folder, name));
  expect(shipped.filter((file) => !used.has(file)).map((file) => relative(root, file))).toEqual([]);
});
