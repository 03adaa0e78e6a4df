import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const root = fileURLToPath(new URL('../', import.meta.url));
/** A project in which only the published folder is installed. */
let project: string;
let folder: string;

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'sluice-package-'));
  folder = join(project, 'node_modules/@sluice/node');
  execFileSync(process.execPath, [join(root, '../packages.mjs'), '--folders', join(project, 'node_modules/@sluice')]);
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8');
const node = (...args: string[]): string => execFileSync(process.execPath, args, { cwd: project, encoding: 'utf8' });

it('it has no dependencies, and imports nothing but parts of Node', () => {
  const manifest = JSON.parse(textOf('package.json')) as Record<string, unknown>;
  expect(Object.keys(manifest).filter((name) => name.endsWith('ependencies'))).toEqual([]);
  for (const file of ['index.js', 'sluice.js']) {
    const imported = [...textOf(file).matchAll(/^(?:import|export) .*from "(.*)";$/gm)].map(([, name = '']) => name);
    expect(imported.length).toBeGreaterThan(0);
    expect(imported.filter((name) => !builtinModules.includes(name.replace(/^node:/, '')))).toEqual([]);
  }
});

it('the sizes in the README are those of the files, within 0.5 KB', () => {
  const sizes = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/\| `(\w+\.js)` +\| ([\d.]+) KB/g)];
  expect(sizes.map(([, name]) => name)).toEqual(readdirSync(folder).filter((name) => name.endsWith('.js')));
  for (const [, name = '', size] of sizes) {
    expect(Math.abs(gzipSync(textOf(name), { level: 9 }).length / 1_000 - Number(size))).toBeLessThan(0.5);
  }
});

it('it runs where nothing else is installed', () => {
  writeFileSync(
    join(project, 'main.mjs'),
    `import { createClient } from '@sluice/node';
    const client = createClient({ credentials: {}, errorHandler: ({ code }) => console.log(code) });
    console.log(client.track('e', {}, { userId: 'u' }), (await client.close()).sent);`,
  );
  expect(node('main.mjs')).toBe('disabled\nfalse 0\n');
  expect(node(join(folder, 'sluice.js'), 'help')).toContain('sluice import <file.ndjson>');
});
