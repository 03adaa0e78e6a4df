import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogCases, eventually, runOperator } from '@sluice/testing';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { operator, select, type SourceCredentials, sync } from './stack.js';

/** `npm test` replaces a feed and compares one type of entities; `npm run test:long` does the rest. */
const isLong = process.env['LONG'] !== undefined;

let folder: string;
let source: SourceCredentials;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-e2e-'));
  source = await operator<SourceCredentials>('sources', 'create', '--name', 'Feed', '--type', 'catalog-api');
});
afterEach(() => rm(folder, { recursive: true }));

interface Imported {
  records?: number;
  refused?: number;
  compared?: Record<'new' | 'changed' | 'same' | 'deleted' | 'stored' | 'unnamed', number>;
}

const writeFeed = async (name: string, records: readonly unknown[]): Promise<string> => {
  const file = join(folder, name);
  await writeFile(
    file,
    records.map((record) => `${typeof record === 'string' ? record : JSON.stringify(record)}\n`).join(''),
  );
  return file;
};

const importFile = (file: string, ...options: string[]): Promise<Imported> =>
  operator('catalog', 'import', file, '--source', source.sourceIdentifier, '--api-key', source.apiKey, ...options);

const failed = (file: string, ...options: string[]): Promise<string> =>
  importFile(file, ...options).then(
    () => '',
    (error: unknown) => (error as { stderr: string }).stderr,
  );

const count = async (view: string, condition = ''): Promise<number> => {
  const query = `SELECT count() AS n FROM ${view} WHERE source_id = {source:String} ${condition}`;
  const [row] = await select<{ n: string }>(query, {
    source: source.sourceIdentifier,
  });
  return Number(row?.n);
};

const variant = (n: number, change: object = {}) => ({
  ...{
    variantId: `v-${n}`,
    productId: `p-${n % 300}`,
    sellerId: 's',
    price: 10 + n / 4,
    stock: n,
    isAvailable: true,
  },
  ...{ isBuyBoxWinner: n % 3 === 0, attributes: { colour: 'آبی', size: { eu: n, us: null } }, ...change },
});
const feed = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => variant(from + i));

it('a feed of 1,000 that is replaced by one of 900 leaves 900, sends only changes, and old requests stay old', async () => {
  const others = { productId: 'p-1', name: 'P', categoryId: 'c', mainImage: 'https://a.b/c', totalStock: 1 };
  await sync('product', { ...others, isAvailable: true, url: 'https://a.b/c' }, { source });
  const headers = { 'idempotency-key': randomUUID() };
  await sync('productVariantBatch', { list: feed(0, 100) }, { source, headers });
  await importFile(await writeFeed('variants.ndjson', feed(100, 1_000)));

  const next = await writeFeed('variants.next.ndjson', [
    ...feed(100, 990),
    ...feed(1_000, 1_005),
    variant(995, { stock: 7 }),
  ]);
  const dry = await importFile(next, '--dry-run');
  expect(dry).toMatchObject({ compared: { new: 5, changed: 1, same: 890, deleted: 109, stored: 1_000, unnamed: 0 } });
  expect(dry).not.toHaveProperty('records');
  expect(await importFile(next, '--replace')).toMatchObject({ records: 6, refused: 0, compared: dry.compared });
  await eventually(async () => expect(await count('current_product_variants')).toBe(896));

  // The first try was taken under this key: its retry is recognised, and brings nothing back.
  await sync('productVariantBatch', { list: feed(0, 100) }, { source, headers });
  await sync('productVariant', variant(50, { updatedAt: '2026-01-01T00:00:00Z' }), { source });
  await sync('productVariant', variant(2_000), { source });
  await eventually(async () => expect(await count('current_product_variants')).toBe(897));
  expect(await importFile(next, '--replace')).toMatchObject({ records: 0, compared: { same: 896, deleted: 1 } });
  await eventually(async () => expect(await count('current_product_variants')).toBe(896));
  expect(await count('current_products')).toBe(1);
});

it.runIf(isLong)('a replacement that is killed at any moment is finished by the next run', async () => {
  await importFile(await writeFeed('variants.ndjson', feed(0, 1_000)), '--replace');
  const changed = feed(100, 1_100).map((entity) => ({ ...entity, stock: entity.stock + 5_000 }));
  const next = await writeFeed('variants.next.ndjson', changed);
  const [kill, options] = [new AbortController(), ['--source', source.sourceIdentifier, '--api-key', source.apiKey]];
  const dying = runOperator(
    ['catalog', 'import', next, ...options, '--replace', '--rate', '200', '--parallel', '1'],
    { SLUICE_DATA_DIR: inject('dataDir') },
    undefined,
    kill.signal,
  );
  const countChanged = () => count('current_product_variants', 'AND stock >= 5000');
  await Promise.race([dying, eventually(async () => expect(await countChanged()).toBeGreaterThan(150), 30_000)]);
  kill.abort();
  await expect(dying).rejects.toThrow();
  // It was killed among the changes, before any deletion.
  expect(await count('current_product_variants', 'AND stock < 5000')).toBeGreaterThan(200);

  const { compared } = await importFile(next, '--replace');
  expect(compared).toMatchObject({ deleted: 100, unnamed: 0 });
  expect(compared?.same).toBeGreaterThan(150);
  await eventually(async () => {
    expect([await count('current_product_variants'), await countChanged()]).toEqual([1_000, 1_000]);
  });
  expect(await importFile(next, '--dry-run')).toMatchObject({ compared: { same: 1_000, deleted: 0 } });

  // Both runs are in the audit: the first as one that began.
  const outcomes = await eventually(async () => {
    const rows = await select<{ outcomes: string[]; details: string }>(
      `SELECT groupUniqArray(outcome) AS outcomes, argMax(details, outcome != 'intended') AS details FROM operator_actions
       WHERE object = {source:String} AND operation = 'catalog.replace' GROUP BY action_id ORDER BY min(received_at)`,
      { source: source.sourceIdentifier },
    );
    expect(rows.map((row) => row.outcomes.length)).toEqual([2, 1, 2]);
    return rows;
  });
  expect(JSON.parse(outcomes[2]?.details ?? '')).toMatchObject({
    ...{ type: 'productVariant', file: 'variants.next.ndjson', refused: 0, partlyStored: 0 },
    compared: { deleted: 100, stored: expect.any(Number) as number },
  });
});

it.runIf(isLong)('deletes more than a fifth only with --yes, and nothing at all while a line has no id', async () => {
  const file = await writeFeed('variants.ndjson', feed(0, 100));
  await importFile(file, '--replace');
  const cut = await writeFeed('variants.cut.ndjson', feed(0, 79));
  expect(await failed(cut, '--replace')).toContain('the file lacks 21 of 100 entities (21 %)');
  expect(
    await failed(await writeFeed('variants.bad.ndjson', [...feed(0, 99), '{"variantId":']), '--replace'),
  ).toContain('nothing was sent: 1 records of the file have no id');
  expect(await count('current_product_variants')).toBe(100);
  await importFile(cut, '--replace', '--yes');
  await eventually(async () => expect(await count('current_product_variants')).toBe(79));
  await importFile(await writeFeed('variants.none.ndjson', []), '--replace', '--yes');
  await eventually(async () => expect(await count('current_product_variants')).toBe(0));
});

it.each(isLong ? catalogCases : catalogCases.slice(2, 3))(
  'finds a $endpoint the same that is stored, and each change',
  async ({ endpoint, message, fields }) => {
    const [idField = ''] = Object.keys(fields);
    const others = Object.entries(fields).filter(([field]) => field !== idField);
    const isSmall = (record: object): boolean => JSON.stringify(record).length < 50_000;
    const odd = others
      .filter(([field]) => field !== 'updatedAt')
      .flatMap(([field, { good }]) => good.map((value) => ({ ...message, [field]: value })))
      .map((record, n) => ({ ...record, [idField]: `odd-${n}` }))
      .filter(isSmall);
    const plain = others.map(([field]) => ({ ...message, [idField]: `plain-${field}` }));
    const file = await writeFeed('feed.ndjson', [...odd, ...plain]);
    const stored = odd.length + plain.length;
    const type = ['--type', endpoint];
    expect(await importFile(file, ...type)).toMatchObject({ refused: 0 });
    const { compared } = await importFile(file, ...type, '--dry-run');
    expect(compared).toMatchObject({ new: 0, deleted: 0, stored });
    // Values that are not stored as sent, such as numbers out of range, are sent each time.
    expect(compared?.changed).toBeLessThanOrEqual(2);

    const changed = others.flatMap(([field, { good }]) => {
      const value = good.find((text) => isPresent(text) && JSON.stringify(text) !== JSON.stringify(message[field]));
      return value === undefined ? [] : [{ ...message, [field]: value, [idField]: `plain-${field}` }];
    });
    const answer = await importFile(await writeFeed('changed.ndjson', changed), ...type, '--dry-run');
    expect(answer.compared).toMatchObject({ new: 0, changed: changed.length, same: 0, stored });
    expect(changed.length).toBeGreaterThan(others.length - 2);
  },
);

/** Whether a value is not stored like a missing one. */
const isPresent = (value: unknown): boolean =>
  value !== undefined && value !== null && !['""', '"  "', '{}', '[]'].includes(JSON.stringify(value));
