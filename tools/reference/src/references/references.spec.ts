import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { brokenReferences } from './broken-references.js';
import { repositoryAt } from './repository.js';

it('documents and comments name only paths, headings, npm commands, decisions and identifiers that exist', () => {
  const repository = repositoryAt(fileURLToPath(new URL('../../../../', import.meta.url)));
  // This spec itself is left out, because it names things that do not exist.
  const paths = repository.paths.filter((path) => !import.meta.url.endsWith(path));
  expect(brokenReferences({ ...repository, paths })).toEqual([]);
});

const files = {
  'package.json': '{"scripts":{"start":"x","test:unit":"x"}}',
  'docs/api.md': '# Sending\n\n## What is dropped?\n\n```sh\n# no heading\n```\n',
  'docs/decisions/0001-first.md': '# 1. First\n',
  'libs/kafka/src/topic.ts': 'export const someTopic = 1;\n',
};

/** Broken references when a file with this text is added to the files above. */
const broken = (path: string, text: string): string[] => {
  const all: Record<string, string> = { ...files, [path]: text };
  return brokenReferences({ paths: Object.keys(all), read: (path) => all[path] ?? '' });
};

it.each([
  ['a link', 'README.md', '[api](docs/gone.md)', 'docs/gone.md'],
  ['a link to a heading', 'README.md', '[api](docs/api.md#gone)', 'docs/api.md#gone'],
  ['a link to a line of a code block', 'README.md', '[api](docs/api.md#no-heading)', 'docs/api.md#no-heading'],
  ['a link to a neighbour', 'docs/a.md', '[api](gone.md)', 'gone.md'],
  ['a link to its own heading', 'docs/a.md', '# A\n[b](#b)', '#b'],
  ['a path', 'README.md', 'see `libs/kafka/src/gone.ts`', 'libs/kafka/src/gone.ts'],
  ['a folder', 'README.md', 'all of `libs/gone/` is', 'libs/gone/'],
  ['a path with a placeholder', 'README.md', 'each `libs/<name>/gone/NNNN-x.sql`', 'libs/<name>/gone/NNNN-x.sql'],
  ['a file', 'README.md', 'see `gone.ts`', 'gone.ts'],
  ['a command', 'README.md', 'run `npm run -s gone`', 'npm run -s gone'],
  ['a short command', 'README.md', 'run `npm test`', 'npm test'],
  ['a decision', 'README.md', 'see decisions 1 and 2', 'decision 2'],
  ['an identifier', 'README.md', 'see `goneTopic`', 'goneTopic'],
  ['a decorator', 'README.md', 'see `@GoneBlocks(topic)`', '@GoneBlocks'],
  ['a path in a comment', 'libs/a.ts', '/** As libs/kafka/src/gone.ts. */', 'libs/kafka/src/gone.ts'],
  ['a file in a comment', 'libs/a.ts', 'go(); // see gone.ts', 'gone.ts'],
  ['a decision in a comment', 'libs/a.ts', ' * why: decision 7', 'decision 7'],
  ['a command in a comment', 'a.yml', 'a: b # npm run gone', 'npm run gone'],
  ['a file in a comment of SQL', 'a.sql', 'SELECT 1 -- as in gone.sql', 'gone.sql'],
  ['a section in a comment of Kotlin', 'a.kt', '/** Source: §2.5. */', '§2.5.'],
  ['a file in a comment of Swift', 'a.swift', '/// As gone.ts does.', 'gone.ts'],
  ['a heading in a vector', 'a.json', '{ "interface": ["docs/api.md#gone"] }', 'docs/api.md#gone'],
  ['a section in a vector', 'a.json', '{ "interface": ["§7"] }', '§7'],
  ['a page in a migration', 'apps/a/migrations/0001-a.sql', 'SELECT 1 -- docs/gone.md', 'docs/gone.md'],
  ['a heading in a text', 'libs/a.ts', "log('see docs/api.md#gone')", 'docs/api.md#gone'],
  ['a section of another document', 'libs/a.ts', '/** Source: interface §2.5. */', '§2.5.'],
])('finds %s that does not exist', (_, path, text, missingName) => {
  const findings = broken(path, text);
  expect(findings).toContain(`${path}:${text.split('\n').length} names ${missingName}`);
});

it.each([
  ['apps/a/migrations/0001-a.sql', 'SELECT 1 -- as libs/kafka/src/moved.ts does'],
  ['README.md', '[api](docs/api.md#what-is-dropped), [site](https://example.org/gone.md), [up](#a)\n# A'],
  ['docs/a.md', '[api](api.md), [topic](../libs/kafka/src/topic.ts)'],
  ['README.md', '`libs/<name>/src/topic.ts`, `kafka/src/topic.ts`, `topic.ts`, `libs/kafka/dist/x.js`, decision 1'],
  ['README.md', '`someTopic`, `someTopic(x)`, Kafka, GoneTopic'],
  ['README.md', '`npm run test:unit`, `npm start`, `npm ci`'],
  ['libs/a.ts', '// RFC 9562 §5.7; docs/api.md#what-is-dropped\nread("libs/gone.ts"); // http://x/docs/gone.md'],
])('accepts %s: %s', (path, text) => expect(broken(path, text)).toEqual([]));
