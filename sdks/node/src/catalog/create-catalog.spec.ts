import { type HttpAnswer, type HttpRequest, type SluiceError } from '@sluice/sdk-core';
import { expect, it } from 'vitest';
import { createCatalog } from './create-catalog.js';
import { type CatalogOptions, type RefusedEntity } from './options.js';

interface Item {
  readonly id: string;
  readonly n?: number;
}

/** A service in the process, whose answers the test chooses; time passes as soon as nothing is under way. */
class Service {
  readonly requests: { path: string; key: string; items: Item[] }[] = [];
  readonly reports: SluiceError[] = [];
  readonly refusals: RefusedEntity[] = [];
  /** The answer to a try; by default all is taken. */
  answer: (items: readonly Item[], tries: number) => [status: number, body: unknown] | undefined = () => undefined;
  maxUnderWay = 0;
  private underWay = 0;
  private elapsed = 0;

  client(options: Partial<CatalogOptions> = {}) {
    const clock = {
      now: () => Date.UTC(2026, 0) + this.elapsed,
      monotonic: () => this.elapsed,
      later: (ms: number, work: () => void) => {
        const timer = setInterval(() => {
          if (this.underWay > 0) return;
          clearInterval(timer);
          this.elapsed += ms;
          work();
        });
        return () => clearInterval(timer);
      },
    };
    const transport = {
      send: (request: HttpRequest) => ({ answer: this.take(request), abort: () => undefined }),
      end: () => undefined,
    };
    return createCatalog(
      {
        credentials: { apiKey: 'key', sourceIdentifier: 'Source000001' },
        apiHost: 'https://sluice.test/',
        errorHandler: (error) => void this.reports.push(error),
        onRefused: (entity) => void this.refusals.push(entity),
        ...options,
      },
      { clock, transport },
    );
  }

  /** The last state of each entity, as it arrived. */
  states(): Map<string, number | undefined> {
    return new Map(this.requests.flatMap(({ items }) => items.map(({ id, n }) => [id, n] as const)));
  }

  private async take({ url, headers, body }: HttpRequest): Promise<HttpAnswer> {
    const { list } = JSON.parse(body ?? '') as { list: Item[] };
    const key = headers['Idempotency-Key'] ?? '';
    this.maxUnderWay = Math.max(this.maxUnderWay, ++this.underWay);
    await new Promise((resolve) => setTimeout(resolve, this.requests.length % 3));
    this.underWay--;
    this.requests.push({ path: new URL(url).pathname, key, items: list });
    const tries = this.requests.filter((request) => request.key === key).length;
    const [status, answer] = this.answer(list, tries) ?? [200, { status: 'QUEUED' }];
    return { status, body: JSON.stringify(answer), header: () => null };
  }
}

it('sends batches of a hundred to the path of their type, and waits for them when it is closed', async () => {
  const service = new Service();
  const catalog = service.client();
  for (let n = 0; n < 250; n++) expect(await catalog.send('general', { id: `e${n}`, n })).toBe(true);
  await catalog.delete('product', 'p-1', { updatedAt: '2026-01-01T00:00:00Z' });
  expect(await catalog.close()).toEqual({ sent: 251, refused: 0, left: 0 });
  const sizes = service.requests.map(({ path, items }) => [path.split('/').at(-1), items.length] as const);
  expect(sizes.filter(([path]) => path === 'generalBatch').reduce((sum, [, size]) => sum + size, 0)).toBe(250);
  expect(Math.max(...sizes.map(([, size]) => size))).toBe(100);
  expect(service.requests).toContainEqual(
    expect.objectContaining({
      path: '/api/tracker/catalog/Source000001/productDelete',
      items: [{ productId: 'p-1', updatedAt: '2026-01-01T00:00:00Z' }],
    }),
  );
  expect(service.reports).toEqual([]);
});

it('keeps the order of each entity over failures, with one key for all tries of a batch', async () => {
  const service = new Service();
  service.answer = (items, tries) =>
    tries < 3 && (items[0]?.n ?? 0) % 4 === 0
      ? [503, [{ field: '', message: 'error.service.unavailable' }]]
      : undefined;
  const catalog = service.client({ parallel: 6 });
  const last = new Map<string, number | undefined>();
  const calls = Array.from({ length: 3_000 }, (_, n) => {
    const id = `e${(n * 7) % 130}`;
    const isDeleted = n % 11 === 0;
    last.set(id, isDeleted ? undefined : n);
    return isDeleted ? catalog.delete('general', id) : catalog.send('general', { id, n });
  });
  await Promise.all(calls);
  expect(await catalog.close()).toEqual({ sent: 3_000, refused: 0, left: 0 });
  expect(service.states()).toEqual(last);
  expect(service.maxUnderWay).toBeGreaterThan(1);
  expect(service.maxUnderWay).toBeLessThanOrEqual(6);
  const bodies = Map.groupBy(service.requests, ({ key }) => key);
  for (const tries of bodies.values()) expect(new Set(tries.map(({ items }) => JSON.stringify(items))).size).toBe(1);
});

it('names what the service refuses, sends the others, and halves what is too large', async () => {
  const service = new Service();
  service.answer = (items) => {
    if (items.length > 20) return [413, [{ field: '', message: 'error.request.tooLarge' }]];
    const rejected = items.flatMap(({ n }, index) =>
      n === 7 ? [{ field: `list[${index}].type`, message: 'no' }] : [],
    );
    return [200, { status: 'QUEUED', ...(rejected.length > 0 && { rejected }) }];
  };
  const catalog = service.client();
  for (let n = 0; n < 100; n++) await catalog.send('general', { id: `e${n}`, n });
  expect(await catalog.flush()).toEqual({ sent: 99, refused: 1, left: 0 });
  expect(service.refusals).toEqual([{ type: 'general', id: 'e7', reasons: [expect.stringContaining('no') as string] }]);
  service.answer = () => [400, [{ field: 'list[0].type', message: 'bad' }]];
  await catalog.send('general', { id: 'x' });
  expect(await catalog.close()).toEqual({ sent: 99, refused: 2, left: 0 });
});

it('gives up after maxAge, and at the end of the time to close', async () => {
  const service = new Service();
  service.answer = () => [503, [{ field: '', message: 'busy' }]];
  const impatient = service.client({ maxAge: 60_000 });
  await impatient.send('general', { id: 'a' });
  expect(await impatient.close()).toEqual({ sent: 0, refused: 1, left: 0 });
  expect(service.reports).toMatchObject([{ code: 'expired', count: 1 }]);
  const closing = service.client();
  await closing.send('general', { id: 'a' });
  expect(await closing.close({ timeout: 1_000 })).toEqual({ sent: 0, refused: 0, left: 1 });
});

it('accepts nothing without an id, without credentials, or after it was closed', async () => {
  const service = new Service();
  const catalog = service.client();
  expect(await catalog.send('product', { id: 'a' })).toBe(false);
  await catalog.close();
  expect(await catalog.send('general', { id: 'a' })).toBe(false);
  const disabled = service.client({ credentials: { apiKey: undefined, sourceIdentifier: 's' } });
  expect(await disabled.send('general', { id: 'a' })).toBe(false);
  expect(await disabled.close()).toEqual({ sent: 0, refused: 0, left: 0 });
  expect(service.reports.map(({ code }) => code)).toEqual(['invalid', 'disabled', 'disabled', 'disabled']);
  expect(service.requests).toEqual([]);
});
