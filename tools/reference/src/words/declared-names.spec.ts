import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { repositoryAt } from '../references/repository.js';
import { findUnclearNames } from './declared-names.js';

const repository = repositoryAt(fileURLToPath(new URL('../../../../', import.meta.url)));

it('names say what a thing is', () => {
  expect(findUnclearNames(repository)).toEqual([]);
}, 60_000);

const findNamesIn = (text: string): string[] => findUnclearNames({ paths: ['libs/a/src/a.ts'], read: () => text });

it.each([
  ['a pronoun', 'for (const one of sources) use(one);', 'one'],
  ['a participle', 'const found = query();', 'found'],
  ['a parameter', 'use((its) => its.key);', 'its'],
  ['a binding', 'const { held } = room;', 'held'],
  ['a function', 'export const textOf = (count: number) => String(count);', 'textOf'],
  ['a declared function', 'function rangeOf() {}', 'rangeOf'],
])('finds %s', (_, text, name) => expect(findNamesIn(text)).toEqual([`libs/a/src/a.ts:1 ${name}`]));

it('accepts words of the domain, the type of `this`, and members', () => {
  const text = 'function f(this: unknown, refused: string) {}\nconst stored = { keyOf: 1, found: 2 };\n';
  expect(findNamesIn(text)).toEqual([]);
});
