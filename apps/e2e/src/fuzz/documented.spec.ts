import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { local, post } from '../stack.js';
import { type Components, type Schema, valuesOf } from './from-schema.js';

interface Operation {
  operationId: string;
  requestBody: { content: { 'application/json': { schema: Schema } } };
  responses: Record<string, unknown>;
}
interface Document {
  openapi: string;
  paths: Record<string, { post: Operation }>;
  components: { schemas: Components };
}

let document: Document;
beforeAll(async () => {
  document = (await (await fetch(`${local().gateway.url}/openapi.json`)).json()) as Document;
});

const problem = { field: expect.any(String) as string, message: expect.any(String) as string };
const isProblems = (value: unknown): void => {
  expect(Array.isArray(value)).toBe(true);
  for (const entry of value as unknown[]) expect(entry).toEqual(problem);
};

it('documents the four endpoints of the Tracking API', () => {
  expect(document.openapi).toBe('3.1.0');
  const base = '/api/tracker/sdk/{sourceIdentifier}';
  for (const name of ['track', 'identify', 'trackBatch', 'identifyBatch'])
    expect(Object.keys(document.paths)).toContain(`${base}/${name}`);
});

it.each(['track', 'identify', 'trackBatch', 'identifyBatch'])(
  'answers any body to %s as documented, never with 5xx',
  async (name) => {
    const operation = document.paths[`/api/tracker/sdk/{sourceIdentifier}/${name}`]?.post;
    if (!operation) throw new Error(`${name} is not documented`);
    const { requestBody, responses } = operation;
    const bodies = valuesOf(requestBody.content['application/json'].schema, document.components.schemas, 6);
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const answer = await post(name, JSON.stringify(body));
        statuses.add(answer.status);
        expect(Object.keys(responses)).toContain(String(answer.status));
        expect(answer.status).toBeLessThan(500);
        if (answer.status !== 200) {
          isProblems(answer.body);
          return;
        }
        const { status, dropped = [], rejected, ...rest } = answer.body as Record<string, unknown>;
        expect({ status, rejected, rest }).toEqual({ status: 'QUEUED', rejected: undefined, rest: {} });
        isProblems(dropped);
      }),
      { numRuns: 150 },
    );
    // Proves that the bodies included valid and invalid ones.
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400]));
  },
);
