import { readFileSync } from 'node:fs';
import { serviceSourceTag } from '@sluice/sdk-core';
import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { expandCases } from './cases.js';
import { type CatalogVectorFile, catalogVectorFiles } from './catalog/catalog-vectors.js';
import { type VectorFile } from './vector.js';
import { vectorFiles } from './vectors.js';

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'));
const compile = (path: string) => new Ajv({ allErrors: true, allowUnionTypes: true }).compile(read(path) as object);
const isVectorFile = compile('schema/vector.schema.json');
const isCatalogVectorFile = compile('schema/catalog-vector.schema.json');

it.each([...vectorFiles])('%s.json matches the schema, and so do the vectors of its cases', (name, vectors) => {
  const file = read(`vectors/${name}.json`) as VectorFile;
  for (const one of [file, { ...file, vectors }]) {
    isVectorFile(one);
    expect(isVectorFile.errors).toBeNull();
  }
});

it.each([...catalogVectorFiles])('catalog/%s.json matches the schema of the catalog', (name, vectors) => {
  const file = read(`vectors/catalog/${name}.json`) as CatalogVectorFile;
  for (const one of [file, { ...file, vectors }]) {
    isCatalogVectorFile(one);
    expect(isCatalogVectorFile.errors).toBeNull();
  }
});

it('a vector with cases is one for each, and names no value that a case lacks', () => {
  const vector = { name: 'clock of {{case}}', docs: [], steps: [{ call: 'track', args: ['a', { $case: 'n' }] }] };
  const cases = [
    { case: '1970', n: 1 },
    { case: '2015', n: [2] },
  ];
  expect(expandCases({ ...vector, cases })).toEqual([
    { name: 'clock of 1970', docs: [], steps: [{ call: 'track', args: ['a', 1] }] },
    { name: 'clock of 2015', docs: [], steps: [{ call: 'track', args: ['a', [2]] }] },
  ]);
  expect(() => expandCases({ ...vector, cases: [{ case: '1970' }] })).toThrow('the case "1970" has no n');
});

it('there are eight files and four of the catalog, and names of vectors are unique within a file', () => {
  const files = ['batching', 'crash', 'envelope', 'identity', 'push', 'retry', 'split', 'validation'];
  expect([...vectorFiles.keys()].sort()).toEqual(files);
  expect([...catalogVectorFiles.keys()].sort()).toEqual(['batching', 'order', 'refusals', 'retry']);
  for (const vectors of [...vectorFiles.values(), ...catalogVectorFiles.values()]) {
    expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length);
  }
});

it.each([...vectorFiles, ...catalogVectorFiles])('the headings that %s.json cites exist', (_, vectors) => {
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
