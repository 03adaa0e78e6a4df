import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { repositoryAt } from './references/repository.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const repository = repositoryAt(root);

/** The text below a heading, up to the next heading of its level. */
const section = (page: string, heading: string): string =>
  repository.read(page).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

const findNames = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, name = '']) => name)),
];

it('architecture.md has every topic and no other', () => {
  const sources = repository.paths.filter(
    (path) => /^libs\/[\w-]+\/src\/.*\.ts$/.test(path) && !/\.spec[.-]/.test(path),
  );
  const topics = sources.flatMap((path) =>
    findNames(repository.read(path), /(?:\bname: |Topic = )(?:withTopicPrefix\()?'([a-z.-]+\.v\d+)'/g),
  );
  const table = section('docs/architecture.md', 'Topics and messages')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  expect(topics.length).toBeGreaterThan(10);
  expect(table.flatMap((line) => findNames(line.split('|')[1] ?? '', /`([a-z.-]+\.v\d+)`/g)).sort()).toEqual(
    topics.sort(),
  );
});

it.each(readdirSync(`${root}apps`))('architecture.md says what apps/%s is', (app) =>
  expect(section('docs/architecture.md', 'Who lives where')).toContain(`\`apps/${app}\``),
);

it('operations.md lists every program under "What runs"', () => {
  const programs = repository.paths.flatMap((path) => findNames(path, /^apps\/([\w-]+)\/src\/main\.ts$/g));
  const listed = findNames(section('docs/operations.md', 'What runs'), /^\| `([a-z-]+)`/gm);
  expect(listed.sort()).toEqual(programs.sort());
});

it('README or docs/commands.md has every npm command', () => {
  const { scripts } = JSON.parse(repository.read('package.json')) as { scripts: Record<string, string> };
  const commands = Object.keys(scripts).filter((name) => !name.startsWith('pre'));
  const pages = repository.read('README.md') + repository.read('docs/commands.md');
  const npmCommands = new Set(findNames(pages, /\bnpm (?:run (?:-s )?)?([\w:-]+)/g));
  expect(commands.filter((name) => !npmCommands.has(name))).toEqual([]);
});

/** Folders below a folder of the repository that git knows, by path. */
const foldersIn = (folder: string): string[] =>
  findNames(repository.paths.join('\n'), new RegExp(`^(${folder}/[\\w-]+)/`, 'gm')).sort();

it('CONTRIBUTING draws every project with all of its rooms', () => {
  const rows = section('CONTRIBUTING.md', 'The house').split('\n');
  const drawn = rows.flatMap((row) => {
    const [, project, rooms = ''] = /^\| `((?:apps|libs|sdks|tools|tests)\/[\w-]+)` *\|.*\|(.*)\|$/.exec(row) ?? [];
    return project === undefined ? [] : [[project, rooms.trim()]];
  });
  const projects = ['apps', 'libs', 'sdks', 'tools', 'tests'].flatMap(foldersIn);
  const real = projects.map((project) => [
    project,
    foldersIn(`${project}/src`)
      .map((room) => room.slice(`${project}/src/`.length))
      .join(', '),
  ]);
  expect(drawn.sort()).toEqual(real.sort());
});
