import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { repositoryAt } from './references/repository.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const repository = repositoryAt(root);

/** The text below a heading, up to the next heading of its level. */
const section = (page: string, heading: string): string =>
  repository.read(page).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

const named = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, name = '']) => name)),
];

it('architecture.md has every topic and no other', () => {
  const sources = repository.paths.filter(
    (path) => /^libs\/[\w-]+\/src\/.*\.ts$/.test(path) && !/\.spec[.-]/.test(path),
  );
  const topics = sources.flatMap((path) =>
    named(repository.read(path), /(?:\bname: |Topic = )(?:ofInstallation\()?'([a-z.-]+\.v\d+)'/g),
  );
  const table = section('docs/architecture.md', 'Topics and messages')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  expect(topics.length).toBeGreaterThan(10);
  expect(table.flatMap((line) => named(line.split('|')[1] ?? '', /`([a-z.-]+\.v\d+)`/g)).sort()).toEqual(topics.sort());
});

it.each(readdirSync(`${root}apps`))('architecture.md says what apps/%s is', (app) =>
  expect(section('docs/architecture.md', 'Who lives where')).toContain(`\`apps/${app}\``),
);

it('operations.md lists every program under "What runs"', () => {
  const programs = repository.paths.flatMap((path) => named(path, /^apps\/([\w-]+)\/src\/main\.ts$/g));
  const listed = named(section('docs/operations.md', 'What runs'), /^\| `([a-z-]+)`/gm);
  expect(listed.sort()).toEqual(programs.sort());
});

it('README or CONTRIBUTING has every npm command', () => {
  const { scripts } = JSON.parse(repository.read('package.json')) as { scripts: Record<string, string> };
  const commands = Object.keys(scripts).filter((name) => !name.startsWith('pre'));
  const pages = repository.read('README.md') + repository.read('CONTRIBUTING.md');
  const known = new Set(named(pages, /\bnpm (?:run (?:-s )?)?([\w:-]+)/g));
  expect(commands.filter((name) => !known.has(name))).toEqual([]);
});
