import { readFileSync } from 'node:fs';
import { operations } from '@sluice/console-api';
import { expect, it } from 'vitest';
import { command } from '../page.js';
import { consoleDocument, documentFile } from './document.js';

interface Document {
  paths: Record<string, Record<string, { 'x-role': string; responses: Record<string, object> }>>;
  components: { schemas: Record<string, { required?: string[]; properties?: Record<string, object> }> };
}

it('has every operation of the console with its role and its types, as the code declares them', async () => {
  const text = await consoleDocument();
  const { paths, components } = JSON.parse(text) as Document;

  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [
      `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      operation['x-role'],
    ]),
  );
  expect(Object.fromEntries(described)).toEqual(operations);
  const named = new Set([...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name));
  expect([...named].filter((name) => !(name in components.schemas))).toEqual([]);
  expect(components.schemas['EventPlace']?.properties).toMatchObject({
    state: { $ref: '#/components/schemas/MessageState' },
    table: { anyOf: [{ type: 'null' }, { type: 'string' }] },
  });
  expect(readFileSync(documentFile, 'utf8'), `the document is not up to date: run ${command}`).toBe(text);
}, 60_000);
