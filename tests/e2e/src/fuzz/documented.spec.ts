import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createSegmentSource, postSegment, type SegmentSource } from '../segment/write-key.js';
import { local, post } from '../stack.js';
import { type Components, type FuzzSchema, anyValues } from './from-schema.js';

interface Operation {
  operationId: string;
  requestBody: { content: { 'application/json': { schema: FuzzSchema } } };
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
    const bodies = anyValues(requestBody.content['application/json'].schema, document.components.schemas, 6);
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

describe('clients of Segment', () => {
  const names = ['batch', 'import', 'track', 'identify', 'page', 'screen', 'group', 'alias'];
  let source: SegmentSource;
  beforeAll(async () => {
    source = await createSegmentSource();
  });

  it('have their paths in the document, with the key in both places', () => {
    for (const name of names)
      for (const base of ['/v1', '/s/{writeKey}/v1'])
        expect(document.paths[`${base}/${name}`]?.post, `${base}/${name}`).toBeDefined();
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map((operation) => operation.operationId),
    );
    const segmentIds = ids.filter((id) => id.startsWith('segment_'));
    expect(new Set(segmentIds).size).toBe(2 * names.length);
  });

  it.each(['batch', 'track'])('get the answers that are documented, whatever they send to %s', async (name) => {
    const operation = document.paths[`/v1/${name}`]?.post;
    if (!operation) throw new Error(`${name} is not documented`);
    const { requestBody, responses } = operation;
    const bodies = anyValues(requestBody.content['application/json'].schema, document.components.schemas, 6);
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const answer = await postSegment(name, JSON.stringify(body), { source });
        expect(Object.keys(responses)).toContain(String(answer.status));
        if (answer.status === 200) {
          const { success, dropped = [], rejected = [], ...rest } = answer.body as Record<string, unknown>;
          expect({ success, rest }).toEqual({ success: true, rest: {} });
          for (const problems of [dropped, rejected]) isProblems(problems);
        } else
          expect(answer.body).toEqual({ code: expect.any(String) as string, message: expect.any(String) as string });
      }),
      { numRuns: 100 },
    );
  });
});
