import { strict as assert } from 'node:assert';
import { type HttpRequest, type SluiceError } from '@sluice/sdk-core';
import { parseDuration } from '../duration.js';
import { expand } from '../expand.js';
import { plainReport } from '../plain-report.js';
import { type VectorSource } from '../vector-world.js';
import { type CatalogStep, type CatalogVector, type ExpectedCatalogRequest } from './catalog-vector.js';
import { type VectorSurroundings, CatalogWorld } from './catalog-world.js';

interface RefusedEntity {
  readonly type: string;
  readonly id: string;
  readonly reasons: readonly string[];
}

interface CatalogOptions {
  readonly credentials: { readonly apiKey: string; readonly sourceIdentifier: string };
  readonly apiHost: string;
  readonly errorHandler: (error: SluiceError) => void;
  readonly onRefused: (entity: RefusedEntity) => void;
}

/** Makes the client under test: `createCatalog` of an SDK. */
export type MakeCatalog = (options: CatalogOptions, surroundings: VectorSurroundings) => object;

/** A request that a vector expected, and what the gateway must answer. */
export interface SeenCatalogRequest {
  readonly request: HttpRequest;
  readonly gateway: number;
  readonly rejected: readonly string[];
}

/**
 * Runs a vector on a client of the catalog.
 * @throws at the first deviation, and at the end if a request, report or refusal was not expected.
 */
export async function runCatalogVector(
  unexpanded: CatalogVector,
  source: VectorSource,
  makeCatalog: MakeCatalog,
): Promise<SeenCatalogRequest[]> {
  const vector = expand(unexpanded, (name) => source[name as keyof VectorSource]) as CatalogVector;
  const run = new CatalogRun(vector, source, makeCatalog);
  for (const [index, step] of vector.steps.entries()) {
    try {
      await run.step(step);
    } catch (error) {
      throw new Error(`${unexpanded.name}, step ${index} ${JSON.stringify(unexpanded.steps[index]).slice(0, 200)}`, {
        cause: error,
      });
    }
  }
  run.expectNothingMore();
  return run.seen;
}

const idFields = ['id', 'variantId', 'productId', 'categoryId', 'sellerId'] as const;

/** Result of a call, once it has one. */
type CallResult = { readonly value: unknown } | undefined;

class CatalogRun {
  readonly seen: SeenCatalogRequest[] = [];
  private readonly world: CatalogWorld;
  private readonly client: Record<string, (...args: unknown[]) => Promise<unknown>>;
  private readonly refused: RefusedEntity[] = [];
  private requestsSeen = 0;
  private result: unknown;
  private isClosed = false;

  constructor({ random = [], config = {} }: CatalogVector, credentials: VectorSource, makeCatalog: MakeCatalog) {
    this.world = new CatalogWorld(random);
    const { apiKey, sourceIdentifier } = credentials;
    this.client = makeCatalog(
      {
        credentials: { apiKey, sourceIdentifier },
        apiHost: 'https://sluice.test',
        ...config,
        errorHandler: (error) => void this.world.reports.push(error),
        onRefused: (entity) => void this.refused.push(entity),
      },
      this.world.surroundings(),
    ) as typeof this.client;
  }

  async step(step: CatalogStep): Promise<void> {
    const { world } = this;
    if (step.server) world.answers.push(...step.server);
    if (step.call !== undefined) await this.calls(step);
    if (step.advance !== undefined) await world.clock.advance(parseDuration(step.advance));
    await world.settle();
    if (this.isClosed) assert.equal(world.clock.next, undefined, 'a timer that keeps the process alive after close');
    if (step.expect) this.expect(step.expect);
  }

  expectNothingMore(): void {
    const requests = this.world.requests.slice(this.requestsSeen).map(({ url, body }) => `${url} ${body ?? ''}`);
    assert.deepEqual(requests, [], 'requests that were not expected');
    assert.deepEqual(this.world.reports.map(plainReport), [], 'reports that were not expected');
    assert.deepEqual(this.refused, [], 'refusals that were not expected');
  }

  private async calls({ call = 'flush', args = [], times, returns }: CatalogStep): Promise<void> {
    const results: CallResult[] = [];
    for (let number = 0; number < (times ?? 1); number++) {
      const numberedArgs = times === undefined ? args : numberId(call, args, number);
      void this.client[call]?.(...numberedArgs).then((value) => {
        results[number] = { value };
        if (call === 'flush' || call === 'close') this.result = value;
        this.isClosed ||= call === 'close';
      });
      results[number] ??= undefined;
    }
    await this.world.settle();
    if (returns === undefined) return;
    const expected = returns === 'waits' ? undefined : { value: returns };
    for (const result of results) assert.deepEqual(result, expected, 'what the call returns');
  }

  private expect({ requests, reports, refused, result }: NonNullable<CatalogStep['expect']>): void {
    if (requests) this.expectRequests(requests);
    if (reports) assert.deepEqual(this.world.reports.splice(0).map(plainReport), reports, 'reports');
    if (refused) assert.deepEqual(this.refused.splice(0), refused, 'refused entities');
    if (result) assert.deepEqual(this.result, result, 'result');
  }

  private expectRequests(expected: readonly ExpectedCatalogRequest[]): void {
    const requests = this.world.requests.slice(this.requestsSeen);
    this.requestsSeen = this.world.requests.length;
    const summary = requests.map((request) => JSON.stringify(observe(request)).slice(0, 200)).join('\n');
    assert.equal(requests.length, expected.length, `number of requests: ${summary}`);
    for (const [index, request] of requests.entries()) {
      const { gateway = 200, rejected = [], repeats, ...members } = expected[index] ?? {};
      const observed: Record<string, unknown> = observe(request);
      const namedMembers = Object.fromEntries(Object.keys(members).map((name) => [name, observed[name]]));
      assert.deepEqual(namedMembers, members, `request ${index}`);
      if (repeats !== undefined) assert.deepEqual(request, this.world.requests[repeats], `request ${index} repeats`);
      this.seen.push({ request, gateway, rejected });
    }
  }
}

/** The arguments with this number at the end of the entity's id. */
function numberId(call: string, [type, entity, ...rest]: readonly unknown[], number: number): unknown[] {
  if (call === 'delete') return [type, `${String(entity)}${number}`, ...rest];
  const fields = entity as Record<string, unknown>;
  const field = idFields.find((name) => name in fields) ?? 'id';
  return [type, { ...fields, [field]: `${String(fields[field])}${number}` }, ...rest];
}

function observe({ url, headers, body = '{}' }: HttpRequest) {
  const { pathname, search, host } = new URL(url);
  const value = JSON.parse(body) as { list: Record<string, unknown>[] };
  return {
    path: pathname + search,
    host,
    headers,
    body: value,
    key: headers['Idempotency-Key'],
    ids: value.list.map((entity) => entity[idFields.find((name) => name in entity) ?? 'id']),
  };
}
