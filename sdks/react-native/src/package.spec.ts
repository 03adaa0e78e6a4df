import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import { sdk } from './version.js';

const root = new URL('../', import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8');

interface Package {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: object;
}
const packageOf = (path: string): Package => JSON.parse(textOf(path)) as Package;

/** Size of a script that exports these names of the package. */
async function sizeOf(names: string): Promise<number> {
  const id = '\0app';
  const source = fileURLToPath(new URL('src/without-native.ts', root));
  const bundle = await rolldown({
    input: id,
    resolve: { conditionNames: ['@sluice/source', 'import'] },
    transform: { target: 'es2020' },
    plugins: [
      {
        name: 'app',
        resolveId: (asked) => (asked === id ? id : null),
        load: (asked) => (asked === id ? `export ${names} from ${JSON.stringify(source)};` : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'es', minify: true, comments: false });
  await bundle.close();
  return gzipSync(output[0].code, { level: 9 }).length;
}

it('the package depends on the core alone, which depends on nothing', () => {
  expect(Object.keys(packageOf('package.json').dependencies ?? {})).toEqual(['@sluice/sdk-core']);
  expect(packageOf('../core/package.json').dependencies).toBeUndefined();
});

it('the version is that of the package', () => {
  const { name, version } = packageOf('package.json');
  expect(sdk).toEqual({ name, version });
});

it('the sizes in the README are those of the package, within 0.5 KB', { timeout: 60_000 }, async () => {
  const documented = [...textOf('README.md').matchAll(/\| +([\d.]+) KB \|/g)].map(([, size]) => Number(size) * 1_000);
  const sizes = [await sizeOf('{ createClientOn }'), await sizeOf('*')];
  expect(documented).toHaveLength(sizes.length);
  expect(sizes.filter((size, at) => Math.abs(size - (documented[at] ?? 0)) > 500)).toEqual([]);
});
