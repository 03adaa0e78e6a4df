import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import {
  type CatalogContent,
  type CatalogImports,
  type EntityStates,
  type ShownCatalogIssues,
  type VariantHistory,
} from '@sluice/console-api';
import { findMigrations } from '@sluice/operations';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { TestConsole } from '../test-console.spec-support.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `shown_catalog_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const clickhouse = createClickHouse(config);
let site: TestConsole;
let cookie = '';
let catalog = '';
let events = '';

const now = Date.now();
/** Milliseconds since 1970, so many minutes ago. */
const minutesAgo = (minutes: number): number => now - minutes * 60_000;
const put = (table: string, values: object[]) => clickhouse.insert({ table, values, format: 'JSONEachRow' });

const aState = (minutes: number) => ({
  ...{ source_id: catalog, version: minutesAgo(minutes) * 1_000, received_at: minutesAgo(minutes) },
});
const aVariant = (minutes: number, change: object) => ({
  ...{ ...aState(minutes), variant_id: 'v-1', product_id: 'p-1', seller_id: 's-1', price: '19.95', stock: '3.5' },
  ...{ is_available: true, is_buy_box_winner: true, ...change },
});

beforeAll(async () => {
  await migrate(config, await findMigrations());
  site = await TestConsole.start({ CLICKHOUSE_DATABASE: config.CLICKHOUSE_DATABASE });
  const editor = await site.signIn('editor');
  const create = async (name: string, type: string): Promise<string> => {
    const created = await site.ask('POST', '/api/sources', { cookie: editor.cookie, body: { name, type } });
    return created.json<{ source: { sourceIdentifier: string } }>().source.sourceIdentifier;
  };
  catalog = await create('Warehouse', 'catalog-api');
  events = await create('Shop', 'web-sdk');
  ({ cookie } = await site.signIn('viewer'));
  await put('sellers', [{ ...aState(90), seller_id: 's-1' }]);
  await put('products', [{ ...aState(80), product_id: 'p-1', category_id: 'gone', is_available: true }]);
  await put('products', [{ ...aState(1), product_id: 'p-2', is_deleted: true }]);
  await put('product_variants', [
    aVariant(60, {}),
    aVariant(50, {}),
    aVariant(40, { price: '18', discounted_price: '17.5' }),
    aVariant(30, { variant_id: 'v-2', seller_id: 'left', is_buy_box_winner: false }),
    ...Array.from({ length: 203 }, (_, index) =>
      aVariant(20 - index / 100, { variant_id: 'v-3', is_buy_box_winner: false, price: `${index + 1}` }),
    ),
  ]);
  await put('product_variants', [{ ...aVariant(10, { product_id: '', seller_id: '', price: '0' }), is_deleted: true }]);
  await put('product_variants', [aVariant(5, {})]);
  await put(
    'events',
    [1, 2].map((minutes) => ({
      ...{ source_id: events, event: 'product_viewed', user_id: 'u', message_id: randomUUID() },
      ...{ timestamp: minutesAgo(minutes), received_at: now, properties: { product_id: 'p-1' } },
    })),
  );
}, 60_000);
afterAll(async () => {
  await site.stop();
  await clickhouse.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await clickhouse.close();
});

async function read<Answer>(path: string): Promise<Answer> {
  const { statusCode, body } = await site.ask('GET', path, { cookie });
  expect([path, statusCode, body]).toEqual([path, 200, expect.any(String)]);
  return JSON.parse(body) as Answer;
}

it('counts what is there and not deleted, the newest first', async () => {
  const warehouse = { source: catalog, sourceName: 'Warehouse' };
  const expected = {
    counts: [
      { ...warehouse, type: 'product_variant', entities: 3, newest: new Date(minutesAgo(5)).toISOString() },
      { ...warehouse, type: 'product', entities: 1, newest: new Date(minutesAgo(80)).toISOString() },
      { ...warehouse, type: 'seller', entities: 1, newest: new Date(minutesAgo(90)).toISOString() },
    ],
    found: 3,
  };
  expect(await read<CatalogContent>('/api/catalog')).toEqual(expected);
  expect(await read<CatalogContent>(`/api/catalog?source=${catalog}`)).toEqual(expected);
  expect(await read<CatalogContent>(`/api/catalog?source=${events}`)).toEqual({ counts: [], found: 0 });
});

it('lists issues with the events that they touched, of the chosen source', async () => {
  const { days, counts, issues } = await read<ShownCatalogIssues>(
    `/api/catalog/issues?catalog=${catalog}&source=${events}`,
  );
  expect(days).toBe(30);
  expect(counts).toEqual([
    { issue: 'missing_category', entities: 1 },
    { issue: 'missing_seller', entities: 1 },
  ]);
  expect(
    issues.map(({ entity, entityId, isMasked, issue, names, events: touched }) => ({
      ...{ entity, entityId, isMasked, issue, names, touched },
    })),
  ).toEqual([
    { entity: 'product', entityId: 'p-1', isMasked: false, issue: 'missing_category', names: 'gone', touched: 2 },
    { entity: 'product_variant', entityId: 'v-2', isMasked: false, issue: 'missing_seller', names: 'left', touched: 2 },
  ]);
  expect(issues.map(({ since }) => Math.round((now - Date.parse(since)) / 60_000))).toEqual([80, 30]);
  const own = await read<ShownCatalogIssues>(`/api/catalog/issues?catalog=${catalog}`);
  expect(own.issues.map(({ events: touched }) => touched)).toEqual([0, 0]);
});

it('shows the changes of a variant, the newest first, with exact numbers', async () => {
  const { changes, found } = await read<VariantHistory>(`/api/catalog/history?catalog=${catalog}&variant=v-1`);
  expect(found).toBe(4);
  const minutes = (time: string | null): number | null =>
    time === null ? null : Math.round((now - Date.parse(time)) / 60_000);
  expect(
    changes.map(({ began, ended, price, discountedPrice, stock, isDeleted }) => ({
      ...{ began: minutes(began), ended: minutes(ended), price, discountedPrice, stock, isDeleted },
    })),
  ).toEqual([
    { began: 5, ended: null, price: '19.95', discountedPrice: null, stock: '3.5', isDeleted: false },
    { began: 10, ended: 5, price: '0', discountedPrice: null, stock: '3.5', isDeleted: true },
    { began: 40, ended: 10, price: '18', discountedPrice: '17.5', stock: '3.5', isDeleted: false },
    { began: 60, ended: 40, price: '19.95', discountedPrice: null, stock: '3.5', isDeleted: false },
  ]);
  expect(changes[0]).toMatchObject({ product: 'p-1', seller: 's-1', isAvailable: true, isBuyBoxWinner: true });
});

it('shows the newest 200 changes, and says how many there are', async () => {
  const { changes, found } = await read<VariantHistory>(`/api/catalog/history?catalog=${catalog}&variant=v-3`);
  expect(found).toBe(203);
  expect(changes).toHaveLength(200);
  expect([changes[0]?.price, changes.at(-1)?.price]).toEqual(['203', '4']);
});

it('shows what the last imports did, also one that was killed', async () => {
  const anAction = (minutes: number, outcome: string, change: object) => ({
    ...{ received_at: minutesAgo(minutes), actor: 'ada', role: 'shell', face: 'operator', object: catalog, outcome },
    ...{ message_id: randomUUID(), operation: 'catalog.replace', ...change },
  });
  const [replaced, killed, failed] = [randomUUID(), randomUUID(), randomUUID()];
  const compared = { added: 5, changed: 1, same: 890, deleted: 109, stored: 1_000 };
  const facts = { type: 'productVariant', file: 'variants.ndjson', compared };
  const counts = { records: 6, refused: 1, partlyStored: 0, seconds: 3 };
  const plain = { operation: 'catalog.import', details: JSON.stringify({ type: 'seller', file: 's.csv' }) };
  await put('operator_actions', [
    anAction(9, 'intended', { action_id: replaced, details: JSON.stringify(facts) }),
    anAction(8, 'done', { action_id: replaced, details: JSON.stringify({ ...facts, ...counts }) }),
    anAction(7, 'intended', { action_id: killed, ...plain }),
    anAction(6, 'intended', { action_id: failed, ...plain }),
    anAction(5, 'failed', { action_id: failed, ...plain, error: 'the gateway at http://10.0.0.1 cannot be used' }),
    anAction(4, 'done', { action_id: randomUUID(), operation: 'sources.create' }),
    anAction(3, 'done', { action_id: randomUUID(), object: events }),
  ]);
  const { imports } = await read<CatalogImports>(`/api/catalog/imports?catalog=${catalog}`);
  const seller = { file: 's.csv', type: 'seller', isReplacement: false };
  const began = (minutes: number): string => new Date(minutesAgo(minutes)).toISOString();
  expect(imports).toEqual([
    { ...seller, began: began(6), outcome: 'failed' },
    { ...seller, began: began(7), outcome: 'intended' },
    {
      ...{ began: began(9), outcome: 'done', file: 'variants.ndjson', type: 'product_variant', isReplacement: true },
      ...{ compared, sent: counts },
    },
  ]);
});

it('shows the states of an entity that are stored, each version once, the newest first', async () => {
  const aSeller = (minutes: number, change: object) => ({ ...aState(minutes), seller_id: 's-2', ...change });
  await clickhouse.command({ query: `SYSTEM STOP MERGES ${config.CLICKHOUSE_DATABASE}.sellers` });
  for (const seller of [
    aSeller(70, { first_name: 'Ada', is_active: true }),
    aSeller(50, { first_name: 'Bea' }),
    aSeller(50, { first_name: 'Bea' }),
    aSeller(40, { is_deleted: true }),
  ])
    await put('sellers', [seller]);
  const { states } = await read<EntityStates>(`/api/catalog/states?catalog=${catalog}&kind=seller&id=s-2`);
  expect(states.map(({ isDeleted }) => isDeleted)).toEqual([true, false, false]);
  expect(states[0]?.fields).toEqual([]);
  expect(states.map(({ version }) => Math.round((now - Date.parse(version)) / 60_000))).toEqual([40, 50, 70]);
  const named = states.map(({ fields }) => Object.fromEntries(fields.map(({ name, value }) => [name, value])));
  // Names of people are masked in lists.
  expect(named[1]?.['first_name']).toMatch(/^‹/);
  expect(named[2]).toMatchObject({ is_active: 'true', is_brand: 'false' });
  expect(Object.keys(named[2] ?? {})).not.toContain('last_name');

  const product = await read<EntityStates>(`/api/catalog/states?catalog=${catalog}&kind=product&id=p-1`);
  expect(product.states[0]?.fields).toEqual(expect.arrayContaining([{ name: 'category_id', value: 'gone' }]));
});

it('answers 404 for a source or a variant that is not known', async () => {
  const paths = [
    '/api/catalog?source=none',
    '/api/catalog/issues?catalog=none',
    `/api/catalog/issues?catalog=${catalog}&source=none`,
    '/api/catalog/history?catalog=none&variant=v-1',
    `/api/catalog/history?catalog=${catalog}&variant=v-9`,
    `/api/catalog/history?catalog=${events}&variant=v-1`,
    '/api/catalog/imports?catalog=none',
    '/api/catalog/states?catalog=none&kind=seller&id=s-1',
    `/api/catalog/states?catalog=${catalog}&kind=category&id=s-1`,
  ];
  for (const path of paths) {
    const { statusCode, body } = await site.ask('GET', path, { cookie });
    expect([path, statusCode]).toEqual([path, 404]);
    expect(body).toContain(path.includes('none') ? 'There is no source none.' : 'with this id');
  }
});
