import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { site } from './stub-server.js';

interface Part {
  file: string;
  css?: string[];
  imports?: string[];
}

const manifest = JSON.parse(readFileSync(join(site, '.vite/manifest.json'), 'utf8')) as Record<string, Part>;

/** Files that a page fetches before it can be shown. */
function filesOf(entries: readonly string[]): Set<string> {
  const files = new Set<string>();
  const known = new Set<string>();
  const add = (name: string): void => {
    const part = manifest[name];
    if (known.has(name) || !part) return;
    known.add(name);
    for (const file of [part.file, ...(part.css ?? [])]) files.add(file);
    for (const one of part.imports ?? []) add(one);
  };
  entries.forEach(add);
  return files;
}

const gzipped = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(site, file)), { level: 9 }).length, 0);

it('the first route needs at most 200 KB, gzipped', () => {
  const files = filesOf(['index.html', 'src/pages/overview.tsx']);
  expect(files.size).toBeGreaterThan(3);
  expect(gzipped(files)).toBeLessThanOrEqual(200_000);
});

it('charts and the editor come later, each within 170 KB', () => {
  const first = filesOf(['index.html', 'src/pages/overview.tsx']);
  for (const name of ['src/ui/chart-canvas.tsx', 'src/ui/editor.tsx']) {
    const later = [...filesOf([name])].filter((file) => !first.has(file));
    expect(later.length, name).toBeGreaterThan(0);
    expect(gzipped(later), name).toBeLessThanOrEqual(170_000);
  }
});
