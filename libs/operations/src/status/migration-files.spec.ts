import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findMigrations } from './migration-files.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice operator-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('finds the migrations of all apps in order, those of the operator last', async () => {
  for (const app of ['tracking', 'catalog', 'operator'])
    await mkdir(join(folder, app, 'migrations'), { recursive: true });
  await mkdir(join(folder, 'gateway'));
  await writeFile(join(folder, 'tracking/migrations/0002-b.sql'), 'SELECT 2;');
  await writeFile(join(folder, 'tracking/migrations/0001-a.sql'), 'SELECT 1;');
  await writeFile(join(folder, 'catalog/migrations/0001-c.sql'), 'SELECT 3;');
  await writeFile(join(folder, 'operator/migrations/0001-d.sql'), 'SELECT 4;');

  const migrations = await findMigrations(folder);

  expect(migrations.map(({ app, name }) => `${app}/${name}`)).toEqual([
    'catalog/0001-c',
    'tracking/0001-a',
    'tracking/0002-b',
    'operator/0001-d',
  ]);
});

it('finds the apps of this repository from src and from dist', async () => {
  expect((await findMigrations()).map(({ app }) => app)).toContain('tracking');
});
