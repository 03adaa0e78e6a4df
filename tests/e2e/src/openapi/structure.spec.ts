import { beforeAll, expect, it } from 'vitest';
import { type OpenApiDocument, listOperations, readDocument, type DocumentSchema } from './document.js';

// Rules that keep the document good for generators of clients; `npm run test:generators` runs the generators themselves.

let document: OpenApiDocument;
beforeAll(async () => {
  document = await readDocument();
});

const prefix = '#/components/schemas/';

/** Names of the schemas to which a value refers, at any depth. */
function findReferences(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === '$ref' && typeof member === 'string' ? [member.slice(prefix.length)] : findReferences(member),
  );
}

/** All schemas in a value: objects with a keyword of JSON Schema that generators have trouble with. */
function schemasWith(keyword: string, value: unknown): DocumentSchema[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.values(value).flatMap((member) => schemasWith(keyword, member));
  return keyword in value ? [value as DocumentSchema, ...below] : below;
}

it('no schema refers to itself', () => {
  const { schemas } = document.components;
  const reached = (name: string, path: readonly string[]): string[] =>
    path.includes(name)
      ? [[...path, name].join(' > ')]
      : findReferences(schemas[name]).flatMap((next) => reached(next, [...path, name]));
  expect(Object.keys(schemas).flatMap((name) => reached(name, []))).toEqual([]);
});

it('everything that is referred to is there', () => {
  const names = Object.keys(document.components.schemas);
  expect(findReferences(document).filter((name) => !names.includes(name))).toEqual([]);
});

it('a choice is a schema or null, and nothing else', () => {
  const choices = [
    ...schemasWith('anyOf', document),
    ...schemasWith('oneOf', document),
    ...schemasWith('allOf', document),
  ];
  expect(choices).not.toEqual([]);
  for (const { anyOf } of choices)
    expect(anyOf).toEqual([{ $ref: expect.stringContaining(prefix) as string }, { type: 'null' }]);
});

it('a number has no multipleOf, which validators compute with doubles', () => {
  expect(schemasWith('multipleOf', document.components)).toEqual([]);
});

it('operations have names of their own, and what redocly asks for is there', () => {
  const ids = listOperations(document).map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(document.servers).toMatchObject([{ url: '/' }]);
  expect(document.info).toMatchObject({ license: { name: 'Apache 2.0' } });
});
