import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { repositoryAt } from '../references/repository.js';
import { foreignWords, parseGlossary } from './glossary.js';

const repository = repositoryAt(fileURLToPath(new URL('../../../../', import.meta.url)));
const glossary = parseGlossary(repository.read('docs/words.md'));

it('names, comments, texts and pages use the words of docs/words.md', () => {
  // This spec itself is left out, because it says words that are out.
  const paths = repository.paths.filter((path) => !import.meta.url.endsWith(path));
  expect(foreignWords({ ...repository, paths }, glossary)).toEqual([]);
});

/** Findings in a file of this path and text. */
const findWordsIn = (path: string, text: string): string[] =>
  foreignWords({ paths: [path], read: () => text }, glossary);

it('every row of the table has words', () => expect(glossary.length).toBeGreaterThan(30));

it.each([
  ['a name', 'a.ts', 'const mostRows = 5;'],
  ['a constant', 'a.ts', 'const LONGEST_WAIT_MS = 5;'],
  ['a parameter', 'a.ts', 'read(otherwise: string)'],
  ['a part of a name', 'a.ts', 'useDeed()'],
  ['a part of a constant', 'a.kt', 'val FILES_ANEW = 1'],
  ['a comment', 'a.swift', '// Kafka is away.'],
  ['a text', 'a.tsx', '<b>Somebody was told</b>'],
  ['a title of a test', 'a.spec.ts', "it('is no object', run)"],
  ['a page', 'docs/a.md', 'Beside it: the others'],
  ['a description', 'a.json', '{ "description": "harmed" }'],
  ['a chart', 'a.yml', 'a: 1 # meanwhile'],
  ['the name of a file', 'kafka-away.ts', ''],
])('finds a word that is out in %s', (_, path, text) => expect(findWordsIn(path, text)).not.toEqual([]));

it.each([
  ['a.ts', '// At most three; there is no other, and it is no longer than that.'],
  ['a.ts', "const text = on ? 'usual' : otherwise();"],
  ['a.ts', 'const harmless = sometimes(mostly, leastwise);'],
  ['a.ts', '// Besides, it has ended.'],
  ['apps/a/migrations/0001-a.sql', '-- Kafka is away.'],
  ['package-lock.json', '"away": 1'],
])('accepts %s: %s', (path, text) => expect(findWordsIn(path, text)).toEqual([]));
