import { randomUUID } from 'node:crypto';
import { BlockWriter, createClickHouse, migrate, readMigrations } from '@sluice/clickhouse';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `catalog_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
const writer = new BlockWriter(client);
let source: string;
let offset = 0;

beforeAll(async () => {
  await migrate(config, await readMigrations('catalog', new URL('../migrations/', import.meta.url)));
});
afterAll(() => writer.close());
beforeEach(() => {
  source = randomUUID().slice(0, 12);
});

type Row = Record<string, unknown>;

/** Stores rows as one block, like the handlers. */
async function store(table: string, ...rows: Row[]): Promise<void> {
  const messages = rows.map((row) => ({
    value: Buffer.from(JSON.stringify({ source_id: source, version: 1, request_id: randomUUID(), ...row })),
    offset: String(offset++),
    timestamp: '1700000000012',
  }));
  await writer.insert(table, { id: randomUUID(), partition: 0, rows: messages });
}

async function select(query: string): Promise<Row[]> {
  const result = await client.query({
    query: `SELECT * EXCEPT (source_id) FROM (${query}) WHERE source_id = {source:String} ORDER BY ALL`,
    query_params: { source },
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_decimals: 1 },
  });
  return result.json();
}

it.each([
  ['0.1', '0.1'],
  ['0.000000001', '0.000000001'],
  ['99999999999999999999999999999.999999999', '99999999999999999999999999999.999999999'],
  ['-12345678901234567890123456789.123456789', '-12345678901234567890123456789.123456789'],
  ['1000000000000000000000', '1000000000000000000000'],
])('stores the decimal %s exactly', async (price, text) => {
  await store('product_variants', { variant_id: 'v', price, discounted_price: price, stock: price });

  expect(await select('SELECT source_id, price, discounted_price, stock FROM current_product_variants')).toEqual([
    { price: text, discounted_price: text, stock: text },
  ]);
});

it('distinguishes a discounted price of 0 from no discount', async () => {
  await store('product_variants', { variant_id: 'a', discounted_price: '0' }, { variant_id: 'b' });

  expect(await select('SELECT source_id, variant_id, discounted_price FROM current_product_variants')).toEqual([
    { variant_id: 'a', discounted_price: '0' },
    { variant_id: 'b', discounted_price: null },
  ]);
});

it.each([
  ['in order', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  ['in order with repeats', [1, 1, 2, 3, 3, 2, 4, 5, 6, 7, 7, 8, 9, 10, 10]],
  ['with the oldest delayed', [2, 3, 4, 10, 9, 5, 1, 6, 8, 7, 1]],
])('shows only the newest of ten updates that came %s, in ten blocks or in one', async (_, versions) => {
  const updates = versions.map((version) => ({ seller_id: 's', version, first_name: `name ${version}` }));
  for (const update of updates) await store('sellers', update);
  await store('sellers', ...updates.map((update) => ({ ...update, seller_id: 't' })));

  expect(await select('SELECT source_id, seller_id, first_name FROM current_sellers')).toEqual([
    { seller_id: 's', first_name: 'name 10' },
    { seller_id: 't', first_name: 'name 10' },
  ]);
});

it('shows every category with its path, even if parents are missing or form a circle', async () => {
  const category = (category_id: string, parent_category_id = '') => ({
    category_id,
    parent_category_id,
    name: category_id.toUpperCase(),
  });
  await store(
    'categories',
    category('a'),
    category('b', 'a'),
    category('c', 'b'),
    category('lost', 'none'),
    category('leaf', 'lost'),
    category('x', 'y'),
    category('y', 'x'),
    category('z', 'x'),
    category('self', 'self'),
  );

  expect(await select('SELECT source_id, category_id, path, path_end FROM category_paths')).toEqual([
    { category_id: 'a', path: ['A'], path_end: 'root' },
    { category_id: 'b', path: ['A', 'B'], path_end: 'root' },
    { category_id: 'c', path: ['A', 'B', 'C'], path_end: 'root' },
    { category_id: 'leaf', path: ['LOST', 'LEAF'], path_end: 'missing parent' },
    { category_id: 'lost', path: ['LOST'], path_end: 'missing parent' },
    { category_id: 'self', path: ['SELF'], path_end: 'circle' },
    { category_id: 'x', path: ['Y', 'X'], path_end: 'circle' },
    { category_id: 'y', path: ['X', 'Y'], path_end: 'circle' },
    { category_id: 'z', path: ['Y', 'X', 'Z'], path_end: 'circle' },
  ]);
});

it('cuts a path of a thousand categories and marks it as too deep', async () => {
  const chain = Array.from({ length: 1_000 }, (_, i) => ({ category_id: `${i}`, parent_category_id: `${i + 1}` }));
  await store('categories', ...chain);

  const ends = await select(
    'SELECT source_id, path_end, max(depth) AS depth FROM category_paths GROUP BY source_id, path_end',
  );
  expect(ends).toEqual([
    { path_end: 'missing parent', depth: 99 },
    { path_end: 'too deep', depth: 100 },
  ]);
});

it('offers every product with its winner and seller, even if one of them is missing', async () => {
  const offer = (variant_id: string, product_id: string, columns: Row) => ({
    variant_id,
    product_id,
    seller_id: 's',
    price: '10.5',
    stock: '1',
    ...columns,
  });
  await store('products', { product_id: 'both', name: 'Both' }, { product_id: 'no winner' }, { product_id: 'two' });
  await store('sellers', { seller_id: 's', first_name: 'Ada' });
  await store(
    'product_variants',
    offer('v1', 'both', { is_buy_box_winner: true }),
    offer('v2', 'both', { is_buy_box_winner: false }),
    offer('v3', 'no winner', { is_buy_box_winner: false }),
    offer('v4', 'two', { is_buy_box_winner: true, version: 1 }),
    offer('v5', 'two', { is_buy_box_winner: true, version: 2, seller_id: 'unknown' }),
    offer('v6', 'missing', { is_buy_box_winner: true }),
  );

  const columns = 'source_id, product_id, has_product, has_winner, has_seller, variant_id, price, seller_first_name';
  expect(await select(`SELECT ${columns} FROM product_offers`)).toEqual(
    [
      ['both', true, true, true, 'v1', '10.5', 'Ada'],
      ['missing', false, true, true, 'v6', '10.5', 'Ada'],
      ['no winner', true, false, false, '', null, ''],
      ['two', true, true, false, 'v5', '10.5', ''],
    ].map(([product_id, has_product, has_winner, has_seller, variant_id, price, seller_first_name]) => ({
      product_id,
      has_product,
      has_winner,
      has_seller,
      variant_id,
      price,
      seller_first_name,
    })),
  );
});

it('shows the availability of every product', async () => {
  const variant = (variant_id: string, product_id: string, is_available: boolean, columns: Row = {}) => ({
    variant_id,
    product_id,
    is_available,
    seller_id: 's',
    price: '10',
    stock: '2.5',
    ...columns,
  });
  const product = (product_id: string, is_available: boolean) => ({ product_id, is_available, total_stock: 9 });
  await store('products', product('a', true), product('b', false), product('c', true));
  await store(
    'product_variants',
    variant('a1', 'a', true),
    variant('a2', 'a', true, { discounted_price: '7.5', seller_id: 't' }),
    variant('a3', 'a', false, { price: '1' }),
    variant('b1', 'b', true),
    variant('d1', 'd', true),
  );

  const columns = 'source_id, product_id, has_product, is_purchasable, variants, available_stock, lowest_price';
  expect(await select(`SELECT ${columns}, available_sellers FROM availability`)).toEqual([
    {
      product_id: 'a',
      has_product: true,
      is_purchasable: true,
      variants: 3,
      available_stock: '5',
      lowest_price: '7.5',
      available_sellers: 2,
    },
    {
      product_id: 'b',
      has_product: true,
      is_purchasable: false,
      variants: 1,
      available_stock: '2.5',
      lowest_price: '10',
      available_sellers: 1,
    },
    {
      product_id: 'c',
      has_product: true,
      is_purchasable: false,
      variants: 0,
      available_stock: '0',
      lowest_price: null,
      available_sellers: 0,
    },
    {
      product_id: 'd',
      has_product: false,
      is_purchasable: false,
      variants: 1,
      available_stock: '2.5',
      lowest_price: '10',
      available_sellers: 1,
    },
  ]);
});
