import { eventually } from '@sluice/testing';
import { createCatalog } from '@sluice/node';
import {
  catalogVectorFiles,
  type Filling,
  runCatalogVector,
  runVector,
  type SeenRequest,
  type Vector,
  vectorFiles,
} from '@sluice/sdk-contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { aNotification } from './notification.js';
import { local, operator, type SourceCredentials } from './stack.js';

// Proves that vectors and service agree: the gateway answers each request of a vector as the vector says.

let filling: Filling;
/** The same of a source that sends a catalog. */
let feed: Filling;

beforeAll(async () => {
  const source = await operator<SourceCredentials>('sources', 'create', '--name', 'Vectors', '--type', 'web-sdk');
  const text = JSON.stringify([...vectorFiles]);
  const names = new Set([...text.matchAll(/\{\{token:(\w+)\}\}/g)].map(([, name]) => name ?? ''));
  const tokens = new Map<string, string>();
  for (const name of names) {
    tokens.set(name, (await aNotification({ source: source.sourceIdentifier })).token);
  }
  filling = { ...source, token: (name) => tokens.get(name) ?? '' };
  feed = {
    ...(await operator<SourceCredentials>('sources', 'create', '--name', 'Feed', '--type', 'catalog-api')),
    token: () => '',
  };
  await untilTaken(filling, 'sdk', 'track', { userId: 'u', event: 'e' });
  await untilTaken(feed, 'catalog', 'sellerDelete', { list: [{ sellerId: 's' }] });
});

/** Resolves when the gateway knows the source and its key. */
async function untilTaken(source: Filling, api: string, call: string, body: unknown): Promise<void> {
  const url = `${local().gateway.url}/api/tracker/${api}/${source.sourceIdentifier}/${call}?validate=only`;
  const headers = { authorization: `Bearer ${source.apiKey}`, 'content-type': 'application/json' };
  await eventually(async () =>
    expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status).toBe(200),
  );
}

/** Sends the SDK's request to the stack's gateway with validate=only, so that nothing is stored. */
async function answerTo({ url, method, headers, body }: SeenRequest['request']): Promise<[number, unknown]> {
  const { pathname, searchParams } = new URL(url);
  searchParams.set('validate', 'only');
  const path = pathname.slice(pathname.indexOf('/api/'));
  const response = await fetch(`${local().gateway.url}${path}?${searchParams.toString()}`, {
    method,
    headers,
    ...(body !== undefined && { body }),
  });
  return [response.status, await response.json()];
}

/** The stack's gateway has no custom path; client-facts.spec.ts starts one that has. */
const isOfDefaultPath = ({ config }: Vector): boolean => config?.eventsPath === undefined;

describe.each([...vectorFiles])('%s', (_, vectors) =>
  it.each(vectors.filter(isOfDefaultPath).map((vector) => [vector.name, vector] as const))(
    '%s',
    async (_name, vector) => {
      for (const { request, gateway } of await runVector(vector, filling)) {
        const [status, body] = await answerTo(request);
        expect([status, body]).toEqual([gateway, gateway === 200 ? { status: 'QUEUED' } : expect.any(Array)]);
      }
    },
  ),
);

describe.each([...catalogVectorFiles])('the catalog: %s', (_, vectors) =>
  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', async (_name, vector) => {
    for (const { request, gateway, rejected } of await runCatalogVector(vector, feed, createCatalog)) {
      const [status, body] = await answerTo(request);
      const problems = status === 200 ? (body as { rejected?: unknown }).rejected : body;
      expect([status, listFields(problems)]).toEqual([gateway, rejected]);
    }
  }),
);

const listFields = (problems: unknown): string[] =>
  Array.isArray(problems) ? problems.map(({ field }: { field: string }) => field) : [];
