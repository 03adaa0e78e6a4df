import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
// Loaded by address: the scripts of deploy/ are not a project that another could import.
const { isShipped } = (await import(new URL('deploy/shipped.mjs', pathToFileURL(root)).href)) as {
  isShipped: (file: string) => boolean;
};
/** All sources that can become part of an image as they are; Vite bundles those of the console's pages. */
const files = globSync('{apps,libs}/*/src/**/*.ts', { cwd: root }).filter(
  (file) => !file.startsWith('apps/console-web/'),
);
/** The sources that the packages of the libraries export. */
const exported = globSync('libs/*/package.json', { cwd: root }).flatMap((file) => {
  const { exports = {} } = JSON.parse(readFileSync(join(root, file), 'utf8')) as { exports?: Record<string, object> };
  return Object.values(exports).map((target) => join(dirname(file), String(Reflect.get(target, '@sluice/source'))));
});
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** The files that a source names, as an import or as the program of a thread. */
const namedBy = (file: string): string[] =>
  [...read(file).matchAll(/(?:from|import|new URL)\s*\(?\s*'(\.[^']+)\.js'/g)].map(
    ([, path = '']) => `${join(dirname(file), path)}.ts`,
  );

function reachable(from: readonly string[]): Set<string> {
  const readFiles = new Set<string>();
  const toRead = from.filter((file) => files.includes(file));
  for (let file = toRead.pop(); file !== undefined; file = toRead.pop()) {
    if (readFiles.has(file)) continue;
    readFiles.add(file);
    toRead.push(...namedBy(file).filter((name) => files.includes(name)));
  }
  return readFiles;
}

it('an image contains no code that only tests run', () => {
  const shipped = files.filter(isShipped);
  const programs = files.filter((file) => file.endsWith('/src/main.ts'));
  const used = reachable([...programs, ...exported]);
  expect(used.size).toBeGreaterThan(300);
  expect(shipped.filter((file) => !used.has(file))).toEqual([]);
});

it('shipped code imports only shipped code', () => {
  const shipped = files.filter(isShipped);
  const dangling = shipped.flatMap((file) =>
    namedBy(file)
      .filter((name) => !isShipped(name) || !files.includes(name))
      .map((name) => `${file}: ${name}`),
  );
  expect(dangling).toEqual([]);
  const testing = /from '(vitest|fast-check|@sluice\/testing)/;
  expect(shipped.filter((file) => testing.test(read(file)))).toEqual([]);
});
