import { readFileSync } from 'node:fs';
import { serviceSourceTag } from '@sluice/sdk-core';
import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { vectorFiles } from './vectors.js';

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'));
const isVectorFile = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(
  read('schema/vector.schema.json') as object,
);

it.each([...vectorFiles.keys()])('%s.json matches the schema', (name) => {
  isVectorFile(read(`vectors/${name}.json`));
  expect(isVectorFile.errors).toBeNull();
});

it('there are eight files, and names of vectors are unique within a file', () => {
  const files = ['batching', 'crash', 'envelope', 'identity', 'push', 'retry', 'split', 'validation'];
  expect([...vectorFiles.keys()].sort()).toEqual(files);
  for (const vectors of vectorFiles.values()) {
    expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length);
  }
});

it.each([...vectorFiles])('the headings that %s.json cites exist', (_, vectors) => {
  const cited = new Set(vectors.flatMap(({ docs }) => docs));
  expect([...cited].filter((one) => !hasHeading(one))).toEqual([]);
});

/** True if the page of a citation has its heading. */
function hasHeading(citation: string): boolean {
  const [page = '', anchor = ''] = citation.split('#');
  const lines = readFileSync(new URL(`../../../${page}`, import.meta.url), 'utf8').split('\n');
  return lines.some((line) => /^#+ /.test(line) && anchorOf(line) === anchor);
}

const anchorOf = (heading: string): string =>
  heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replaceAll(' ', '-')
    .replace(/[^\w-]/g, '');

it('the core has the service tag of the contract', () =>
  expect(read('service-source-tag.json')).toEqual({ serviceSourceTag }));
