import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}
const manifest = (file: string): Manifest => JSON.parse(read(file)) as Manifest;

const rows = read('docs/private-parts.md')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()));

it('docs/private-parts.md names only files that exist', () => {
  const cells = rows.flatMap(([, where = '', , , test = '']) => [where, test]);
  const files = cells.flatMap((cell) => [...cell.matchAll(/`([^`]*\/[^`]*\.ts)`/g)].map(([, file = '']) => file));
  expect(files.length).toBeGreaterThan(rows.length);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

it('docs/private-parts.md has the exact versions of the installation and of the images', () => {
  const node = manifest('package.json').devDependencies?.['node'] ?? '';
  const kafkajs = manifest('libs/kafkajs/package.json').dependencies?.['kafkajs'] ?? '';
  const { fastify = '', '@nestjs/platform-fastify': adapter = '' } =
    manifest('apps/gateway/package.json').dependencies ?? {};
  for (const version of [node, kafkajs, fastify, adapter]) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(read('deploy/Dockerfile')).toContain(`NODE_VERSION=${node}\n`);
  const pins = rows.map(([, , , pin = '']) => /^`([\w-]+)` (\d+\.\d+\.\d+)/.exec(pin)?.slice(1, 3).join(' '));
  expect(new Set(pins)).toEqual(new Set([`node ${node}`, `kafkajs ${kafkajs}`, `platform-fastify ${adapter}`]));
});
