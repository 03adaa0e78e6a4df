import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { command } from '../page.js';
import { consoleDocument, documentFile } from './document.js';

interface Member {
  $ref?: string;
  type?: string;
  enum?: string[];
  anyOf?: Member[];
  properties?: Record<string, Member>;
  items?: Member;
  format?: string;
  maxLength?: number;
  maxItems?: number;
  maximum?: number;
}

interface Operation {
  'x-role': string;
  parameters: { name: string; in: string; schema: Member }[];
  requestBody?: { content: { 'application/json': { schema: Member } } };
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Member> };
}

const text = await consoleDocument();
const { paths, components } = JSON.parse(text) as Document;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const),
);

it('has the roles and the types of the operations, as the code declares them', () => {
  const roleByOperation = Object.fromEntries(operations.map(([name, operation]) => [name, operation['x-role']]));
  expect(roleByOperation).toMatchObject({
    'post /api/session': 'public',
    'get /api/status': 'viewer',
    'post /api/sources': 'editor',
    'patch /api/users/{id}': 'admin',
  });
  const referencedSchemas = new Set(
    [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name),
  );
  expect([...referencedSchemas].filter((name) => !(name in components.schemas))).toEqual([]);
  expect(components.schemas['EventPlace']?.properties).toMatchObject({
    state: { $ref: '#/components/schemas/MessageState' },
    table: { anyOf: [{ type: 'null' }, { type: 'string' }] },
  });
  expect(readFileSync(documentFile, 'utf8'), `the document is not up to date: run ${command}`).toBe(text);
}, 60_000);

/** Members of a request that a client can make as large as it likes. */
function unbounded(name: string, described: Member): string[] {
  const member =
    described.$ref === undefined ? described : { ...components.schemas[described.$ref.split('/').at(-1) ?? ''] };
  const parts = [
    ...Object.entries(member.properties ?? {}).map(([part, schema]) => [`${name}.${part}`, schema] as const),
    ...(member.anyOf ?? []).map((schema) => [name, { ...described, anyOf: undefined, ...schema } as Member] as const),
    ...(member.items ? [[`${name}[]`, member.items] as const] : []),
  ];
  const { type, maxLength, maxItems, maximum, format } = member;
  const isBounded =
    (type === 'string' && (member.enum ?? maxLength ?? format) !== undefined) ||
    (type === 'array' && maxItems !== undefined) ||
    (['number', 'integer'].includes(type ?? '') && maximum !== undefined) ||
    ['object', 'boolean', 'null', undefined].includes(type);
  return [...(isBounded ? [] : [name]), ...parts.flatMap(([part, schema]) => unbounded(part, schema))];
}

it('bounds every text, list and number of a query or a body', () => {
  const parameterSchemas = operations.flatMap(([name, { parameters, requestBody }]) => [
    ...parameters
      .filter((parameter) => parameter.in === 'query')
      .map((parameter) => [`${name} ?${parameter.name}`, parameter.schema] as const),
    ...(requestBody ? [[name, requestBody.content['application/json'].schema] as const] : []),
  ]);
  expect(parameterSchemas.length).toBeGreaterThan(40);
  expect(parameterSchemas.flatMap(([name, schema]) => unbounded(name, schema))).toEqual([]);
  expect(unbounded('q', { type: 'object', properties: { a: { type: 'array', items: { type: 'string' } } } })).toEqual([
    'q.a',
    'q.a[]',
  ]);
});
