import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { repositoryAt } from '../references/repository.js';
import { importCircles } from './circles.js';

it('no files of the repository import one another in a circle, types included', () => {
  const repository = repositoryAt(fileURLToPath(new URL('../../../../', import.meta.url)));
  expect(importCircles(repository)).toEqual([]);
});

/** Circles among these files, which exist next to a package whose entry is libs/sources/src/index.ts. */
function findCirclesIn(files: Readonly<Record<string, string>>): string[][] {
  const manifest = { name: '@sluice/sources', exports: { '.': { '@sluice/source': './src/index.ts' } } };
  const all: Record<string, string> = { ...files, 'libs/sources/package.json': JSON.stringify(manifest) };
  return importCircles({ paths: Object.keys(all), read: (path) => all[path] ?? '' });
}

it.each([
  ['an import', "import { b } from './b.js';"],
  ['an import of types', "import type { B } from './b.js';"],
  ['an inline import of a type', "import { type B } from './b.js';"],
  ['a re-export', "export { b } from './b.js';"],
  ['an import for its effects', "import './b.js';"],
  ['a late import', "const b = await import('./b.js');"],
  ['an import of a page', "import { B } from './c.js';"],
])('finds a circle that %s closes', (_, text) => {
  const files = {
    'apps/x/a.ts': text,
    'apps/x/b.ts': "import { a } from './a.js';",
    'apps/x/c.tsx': "import { a } from './a.js';",
  };
  expect(findCirclesIn(files)).toHaveLength(1);
});

it('finds a circle through the entry of a package', () =>
  expect(
    findCirclesIn({
      'libs/sources/src/index.ts': "export { source } from './source.js';",
      'libs/sources/src/source.ts': "import { other } from '@sluice/sources';",
    }),
  ).toEqual([['libs/sources/src/index.ts', 'libs/sources/src/source.ts']]));

it('accepts files that import the same file, comments and texts', () =>
  expect(
    findCirclesIn({
      'a.ts': "import { c } from './c.js'; import { b } from './b.js';",
      'b.ts': "import { c } from './c.js'; // import { a } from './a.js'",
      'c.ts': 'const text = "import { a } from \'./a.js\'";',
    }),
  ).toEqual([]));
