import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import { sdk } from '../version.js';
import { createClient } from '../create-client.js';
import { type WebOptions } from '../options.js';

interface Manifest {
  version: string;
  files: Record<string, { file: string; integrity: string; bytes: number; gzip: number }>;
}

const root = new URL('../../', import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8');
let manifest: Manifest;

beforeAll(() => {
  // Does nothing when the bundles are those of these sources.
  execFileSync(process.execPath, [new URL('build.mjs', root).pathname]);
  manifest = JSON.parse(textOf('dist/bundle/manifest.json')) as Manifest;
}, 120_000);

/** Bytes with gzip. A page pays for them on each visit without a cache: whoever raises one says why. */
const most: Readonly<Record<string, number>> = {
  // Core and web, and what a script tag needs: the calls that the snippet took, the origin of the bundle.
  'sluice.js': 10_360,
  // Core and web: 10 KB is the goal.
  'sluice-module.js': 10_240,
  'sluice-push.js': 500,
  'sluice-worker.js': 2_900,
  'sluice-plugins.js': 1_230,
  'snippet.js': 510,
};

it('no bundle outgrows its limit', () => {
  const sizes = Object.entries(manifest.files).map(([name, { gzip }]) => [name, gzip] as const);
  expect(sizes.map(([name]) => name).sort()).toEqual(Object.keys(most).sort());
  expect(sizes.filter(([name, gzip]) => gzip > (most[name] ?? 0))).toEqual([]);
});

it('the manifest says of each file what is in it, and the name changes with the content', () => {
  for (const { file, integrity, bytes, gzip } of Object.values(manifest.files)) {
    const code = readFileSync(new URL(`dist/bundle/${file}`, root));
    const zipped = readFileSync(new URL(`dist/bundle/${file}.gz`, root));
    expect([integrity, bytes, gzip]).toEqual([
      `sha384-${createHash('sha384').update(code).digest('base64')}`,
      code.length,
      zipped.length,
    ]);
    expect(gunzipSync(zipped)).toEqual(code);
    expect(file).toContain(createHash('sha256').update(code).digest('hex').slice(0, 16));
  }
});

it('the sizes in the README are those of the bundles, within 0.1 KB', () => {
  const rows = [...textOf('README.md').matchAll(/\| `([\w-]+\.js)` +\| ([\d.]+) KB/g)];
  expect(rows.map(([, name]) => name)).toEqual(Object.keys(manifest.files));
  // Versions of zlib differ by some bytes.
  const wrong = rows.filter(
    ([, name = '', size]) => Math.abs((manifest.files[name]?.gzip ?? 0) - Number(size) * 1_000) > 100,
  );
  expect(wrong).toEqual([]);
});

it('the version is that of the package', () => {
  const { version, name } = JSON.parse(textOf('package.json')) as { version: string; name: string };
  expect([sdk.version, sdk.name, manifest.version]).toEqual([version, name, version]);
});

it('the snippet takes the calls of every method that the bundle has', () => {
  const taken = /'(createClient [\w ]+)'/.exec(textOf('src/bundle/snippet.ts'))?.[1]?.split(' ');
  const client = Object.entries(createClient({} as WebOptions));
  const methods = client.flatMap(([name, member]) => (typeof member === 'function' ? [name] : []));
  expect(taken?.sort()).toEqual(['createClient', ...methods].sort());
});

it('no name that is shortened belongs to the public API, or to what is sent or stored', () => {
  const shortened = new Set(textOf('mangled-names.mjs').split('`')[1]?.trim().split(/\s+/));
  const publicTypes = [
    textOf('src/options.ts'),
    ...['options', 'sluice-error', 'message', 'batch'].map((name) => textOf(`../core/src/${name}.ts`)),
    textOf('../core/src/client.ts').split('export interface Client<')[1]?.split('\n}\n')[0] ?? '',
    textOf('src/queue/stored.ts').split('export interface Stored ')[0] ?? '',
    textOf('src/push/worker-memory.ts'),
    textOf('src/bundle/global.ts'),
    textOf('src/page/page-context.ts'),
  ];
  const members = publicTypes.flatMap((text) =>
    [...text.matchAll(/^ {2}(?:readonly )?(\w+)\??[(:<]/gm)].map(([, name]) => name ?? ''),
  );
  // Settings are internal, and in the same file as the options.
  const internal = ['maxMessages', 'maxBytes', 'maxBatchBytes'];
  expect(members.length).toBeGreaterThan(50);
  expect(members.filter((name) => shortened.has(name) && !internal.includes(name))).toEqual([]);
});

it('no name that is shortened is written as text: a member that is looked up by it would be missed', () => {
  const shortened = textOf('mangled-names.mjs').split('`')[1]?.trim().split(/\s+/) ?? [];
  const sources = ['src/', '../core/src/'].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.includes('.spec'))
      .map((name) => textOf(folder + name)),
  );
  const texts = sources.flatMap((text) => [...text.matchAll(/'([^'\n ]*)'/g)].map(([, name]) => name));
  expect(texts).toContain('failed');
  expect(shortened.filter((name) => texts.includes(name))).toEqual([]);
});

it('no name that is shortened is one of the language, whose objects keep their names', () => {
  const shortened = textOf('mangled-names.mjs').split('`')[1]?.trim().split(/\s+/) ?? [];
  const types = [Array, String, Promise, Map, Set, RegExp, Function, Number, Date, Error, URL, URLSearchParams];
  const objects = [Math, JSON, Number, Date, Promise, Array, ...types.map(({ prototype }) => prototype as object)];
  const members = new Set([...objects, Object.prototype].flatMap((object) => Object.getOwnPropertyNames(object)));
  // The bundle uses only these functions of Object.
  for (const name of ['entries', 'fromEntries', 'assign', 'create', 'keys', 'values']) members.add(name);
  expect(members.has('trim')).toBe(true);
  expect(shortened.filter((name) => members.has(name))).toEqual([]);
});

it('no name of a file is one that blockers of advertisements look for', () => {
  const names = readdirSync(new URL('dist/bundle/', root)).join(' ');
  expect(names).not.toMatch(/track|analytic|collect|pixel|beacon|metric|event|pageview|stat/i);
});
