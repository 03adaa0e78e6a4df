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

/** Bytes with gzip. A page loads them on each visit without a cache: give a reason for raising one. */
const most: Readonly<Record<string, number>> = {
  // Core and web: code that is easy to read wins over bytes. Of the last 1.3 KiB, 0.6 are for visitors who do
  // not return: compressed bodies give a page that ends five times the room, and its tail outlives a failing request.
  // 0.7 are for pages with two sources and for another host: a denial erases its own source's batches and counts them.
  // 0.1 are for another host in a browser without IndexedDB: what waits there would have gone to the earlier one.
  'sluice.js': 14_800,
  'sluice-module.js': 14_800,
  'sluice-push.js': 500,
  // Its callbacks end at a denial, and its batches say when they are sent.
  'sluice-worker.js': 3_150,
  'sluice-ads.js': 450,
  'sluice-plugins.js': 1_800,
  'snippet.js': 1_000,
  'snippet-inline.js': 900,
};

it('no bundle outgrows its limit', () => {
  const sizes = Object.entries(manifest.files).map(([name, { gzip }]) => [name, gzip] as const);
  expect(sizes.map(([name]) => name).sort()).toEqual(Object.keys(most).sort());
  expect(sizes.filter(([name, gzip]) => gzip > (most[name] ?? 0))).toEqual([]);
});

it('the manifest describes each file, and the name changes with the content', () => {
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

it('the sizes in the README are those of the bundles, within 0.5 KB', () => {
  const rows = [...textOf('README.md').matchAll(/\| `([\w-]+\.js)` +\| ([\d.]+) KB/g)];
  expect(rows.map(([, name]) => name)).toEqual(Object.keys(manifest.files));
  // Versions of zlib differ by some bytes.
  const wrong = rows.filter(
    ([, name = '', size]) => Math.abs((manifest.files[name]?.gzip ?? 0) - Number(size) * 1_000) > 500,
  );
  expect(wrong).toEqual([]);
});

it('the version is that of the package', () => {
  const { version, name } = JSON.parse(textOf('package.json')) as { version: string; name: string };
  expect([sdk.version, sdk.name, manifest.version]).toEqual([version, name, version]);
});

it('the snippet takes the calls of every method that the bundle has', () => {
  const taken = /'(track [\w ]+)'/.exec(textOf('src/bundle/snippet.ts'))?.[1]?.split(' ');
  const client = Object.entries(createClient({} as WebOptions));
  const methods = client.flatMap(([name, member]) => (typeof member === 'function' ? [name] : []));
  expect(taken?.sort()).toEqual(methods.sort());
});

it('no file name has a word that ad blockers look for', () => {
  const names = readdirSync(new URL('dist/bundle/', root)).join(' ');
  expect(names).not.toMatch(/track|analytic|collect|pixel|beacon|metric|event|pageview|stat/i);
});
