import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readBundle } from './bundle.js';
import { loadBundle } from './load-bundle.js';
import { writeBundle } from './write-bundle.spec-support.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bundle-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('has the files of the manifest by both names, and those of earlier releases by their own', async () => {
  await writeBundle(folder, '1.2.3', { 'sluice.js': 'let a = 1;', 'sluice-worker.js': 'let b = 2;' });
  await writeFile(join(folder, 'sluice.0ldhash.js'), 'let old = 0;');
  const bundle = await readBundle(folder);
  expect([...(bundle?.current.keys() ?? [])].sort()).toEqual(['1/sluice-worker.js', '1/sluice.js']);
  expect(bundle?.files.size).toBe(3);
  expect(bundle?.files.get('sluice.0ldhash.js')?.plain.bytes.toString()).toBe('let old = 0;');
  expect(bundle?.current.get('1/sluice.js')?.plain.bytes.toString()).toBe('let a = 1;');
  expect([...(bundle?.current.get('1/sluice.js')?.encoded.keys() ?? [])]).toEqual(['br', 'gzip']);
});

it('is undefined when none was built', async () => {
  expect(await readBundle(folder)).toBeUndefined();
  expect(await readBundle(join(folder, 'nothing'))).toBeUndefined();
});

/** Ways in which a bundle is broken; each is named in the log, and none keeps a gateway from starting. */
const defects: [string, (name: string) => Promise<void>][] = [
  ['a manifest that is not JSON', () => writeFile(join(folder, 'manifest.json'), '{')],
  ['a manifest without files', () => writeFile(join(folder, 'manifest.json'), '{"version":"1.0.0"}')],
  ['a manifest of null', () => writeFile(join(folder, 'manifest.json'), 'null')],
  ['a file without a name', () => writeFile(join(folder, 'manifest.json'), '{"version":"1","files":{"a":null}}')],
  ['a file that is missing', (name) => rm(join(folder, name))],
  ['a file with other bytes', (name) => writeFile(join(folder, name), 'let a = 2;')],
  ['a folder in the place of a file', (name) => rm(join(folder, name)).then(() => void mkdir(join(folder, name)))],
];

it.each(defects)('%s: no bundle, and the log says so', async (_, damage) => {
  const { files } = await writeBundle(folder, '1.2.3', { 'sluice.js': 'let a = 1;' });
  await damage(files['sluice.js']?.file ?? '');
  await expect(readBundle(folder)).rejects.toThrow();
  const lines: unknown[] = [];
  const logger = { warn: () => undefined, error: (line: unknown) => lines.push(line) };
  expect(await loadBundle(logger, folder)).toBeUndefined();
  expect(lines).toHaveLength(1);
});
