import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { catalogCases, eventually } from '@sluice/testing';
import { describe, expect, it } from 'vitest';
import { type HttpAnswer, local, select, sync } from './stack.js';

const anId = (kind: string): string => `${kind}-${randomUUID().slice(0, 8)}`;
const queued = { status: 'QUEUED' };
const page = 'https://example.com/page';

const expectQueued = ({ status, body }: HttpAnswer): void => expect([status, body]).toEqual([200, queued]);

/** Waits until the view has exactly one row for this id, with the expected values. */
const shows = (view: string, key: string, id: string, expected: Record<string, unknown>) =>
  eventually(async () => {
    const rows = await select(
      `SELECT * FROM ${view} WHERE ${key} = {id:String} SETTINGS output_format_json_quote_decimals = 1`,
      {
        id,
      },
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject(expected);
    return rows[0];
  });

it('stores a seller with every field', async () => {
  const sellerId = anId('فروشنده 🌹');
  const answer = await sync('seller', {
    sellerId,
    firstName: 'مریم',
    lastName: 'O’Hara 🧵',
    email: 'کاربر@نمونه.ایران',
    nationalId: '0012345678',
    address: 'خیابان ۱۲',
    phoneNumber: '+98 21 1234',
    isActive: true,
    isBrand: false,
    isMarketPlaceOwner: true,
    createdAt: '2019-03-04T05:06:07.089+03:30',
    attributes: { tier: 'gold', 'نام آزاد': 1, since: 'Jan 5 2024', nested: { a: [1, 'x'] } },
  });
  expectQueued(answer);

  const row = await shows('current_sellers', 'seller_id', sellerId, {
    source_id: local().source.sourceIdentifier,
    request_id: answer.headers.get('x-request-id'),
    first_name: 'مریم',
    last_name: 'O’Hara 🧵',
    email: 'کاربر@نمونه.ایران',
    national_id: '0012345678',
    address: 'خیابان ۱۲',
    phone_number: '+98 21 1234',
    is_active: true,
    is_brand: false,
    is_marketplace_owner: true,
    created_at: '2019-03-04 01:36:07.089',
    attributes: { tier: 'gold', 'نام آزاد': 1, since: 'Jan 5 2024', nested: { a: [1, 'x'] } },
  });
  const versionMs = Number(row?.['version']) / 1_000;
  expect(Math.abs(versionMs - Date.parse(`${String(row?.['received_at']).replace(' ', 'T')}Z`))).toBeLessThan(1_000);
});

it('stores a product with every field and a product with only the required ones', async () => {
  const [productId, bare] = [anId('product'), anId('product')];
  const required = {
    name: 'گوشی',
    categoryId: 'c',
    mainImage: page,
    totalStock: -2_147_483_648,
    isAvailable: true,
    url: page,
  };
  const more = { nameEn: 'Phone', createdAt: '2026-01-31T12:00:00Z', brand: 'Acme', description: 'd'.repeat(100_000) };
  expectQueued(
    await sync('product', { productId, ...required, ...more, additionalMedia: [page, page], attributes: {} }),
  );
  expectQueued(await sync('product', { productId: bare, ...required, brand: null, additionalMedia: null }));

  const stored = {
    name: 'گوشی',
    category_id: 'c',
    main_image: page,
    total_stock: -2_147_483_648,
    is_available: true,
    url: page,
  };
  await shows('current_products', 'product_id', productId, {
    ...stored,
    name_en: 'Phone',
    created_at: '2026-01-31 12:00:00.000',
    brand: 'Acme',
    description: more.description,
    additional_media: [page, page],
  });
  await shows('current_products', 'product_id', bare, {
    ...stored,
    name_en: '',
    created_at: null,
    brand: '',
    description: '',
    additional_media: [],
    attributes: {},
  });
});

it.each([
  ['0.1', '0.1'],
  ['1e21', '1000000000000000000000'],
  ['1e-7', '0.0000001'],
  ['99999999999999999999999999999.999999999', '99999999999999999999999999999.999999999'],
  ['-12345678901234567.89', '-12345678901234567.89'],
])('stores a variant with the price %s, exactly', async (literal, stored) => {
  const variantId = anId('variant');
  const body = { variantId, productId: 'p', sellerId: 's', stock: 2.5, isAvailable: true, isBuyBoxWinner: false };
  const text = JSON.stringify({ ...body, image: page, url: page, attributes: { price: 'low' } });
  expectQueued(await sync('productVariant', `${text.slice(0, -1)},"price":${literal},"discountedPrice":${literal}}`));

  await shows('current_product_variants', 'variant_id', variantId, {
    product_id: 'p',
    seller_id: 's',
    price: stored,
    discounted_price: stored,
    stock: '2.5',
    image: page,
    url: page,
    is_available: true,
    is_buy_box_winner: false,
    attributes: { price: 'low' },
  });
});

it.each(['1e29', '100000000000000000000000000000', '0.0000000001', '1.00000000000000000001', '1e400'])(
  'refuses the price %s',
  async (literal) => {
    const body = { variantId: 'v', productId: 'p', sellerId: 's', stock: 1, isAvailable: true, isBuyBoxWinner: false };
    const answer = await sync('productVariant', `${JSON.stringify(body).slice(0, -1)},"price":${literal}}`);
    expect([answer.status, answer.body]).toEqual([400, [{ field: 'price', message: expect.any(String) as string }]]);
  },
);

it('stores categories as a tree, and general entities with any data', async () => {
  const [root, leaf, id] = [anId('root'), anId('leaf'), anId('store')];
  const category = { level: 1, isLeaf: true, url: page };
  expectQueued(await sync('category', { ...category, categoryId: leaf, name: 'Phones', parentCategoryId: root }));
  expectQueued(await sync('category', { ...category, categoryId: root, name: 'همه' }));
  expectQueued(await sync('general', { id, type: 'store', data: { city: 'شیراز', open: true, 'a.b': 1 } }));

  await shows('category_paths', 'category_id', leaf, { path: ['همه', 'Phones'], path_end: 'root', depth: 2 });
  await shows('current_general_entities', 'id', id, {
    type: 'store',
    data: { city: 'شیراز', open: true, a: { b: 1 } },
  });
});

it('shows only the last of ten updates, even with repeats among them', async () => {
  const id = anId('updated');
  for (let n = 1; n <= 10; n++) {
    expectQueued(await sync('general', { id, data: { n } }));
    if (n % 3 === 0) expectQueued(await sync('general', { id, data: { n } }));
  }

  await shows('current_general_entities', 'id', id, { data: { n: 10 } });
});

const changed = {
  seller: ['current_sellers', 'seller_id', 'sellerId', 'first_name', 'firstName'],
  product: ['current_products', 'product_id', 'productId', 'name', 'name'],
  productVariant: ['current_product_variants', 'variant_id', 'variantId', 'seller_id', 'sellerId'],
  category: ['current_categories', 'category_id', 'categoryId', 'name', 'name'],
  general: ['current_general_entities', 'id', 'id', 'type', 'type'],
} as const;

it.each(catalogCases)(
  'a $endpoint request that is repeated under its key does not win over a newer state',
  async ({ endpoint, message }) => {
    const [view, column, idField, state, field] = changed[endpoint];
    const [id, oldKey] = [anId('repeated'), randomUUID()];
    const send = async (value: string, key: string) =>
      expectQueued(
        await sync(endpoint, { ...message, [idField]: id, [field]: value }, { headers: { 'idempotency-key': key } }),
      );
    await send('old', oldKey);
    await send('new', randomUUID());
    await shows(view, column, id, { [state]: 'new' });
    await send('old', oldKey);
    // A repeat leaves nothing behind that could be waited for.
    await setTimeout(3_000);
    await shows(view, column, id, { [state]: 'new' });
    await send('last', randomUUID());
    await shows(view, column, id, { [state]: 'last' });
  },
);

it('drops unknown fields and values out of range, and names them', async () => {
  const id = anId('dropped');
  const answer = await sync('general', { id, colour: 'red', data: { good: 1, long: 'x'.repeat(4_097), big: 2 ** 60 } });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    status: 'QUEUED',
    dropped: expect.arrayContaining([
      { field: 'colour', message: 'unknown field' },
      { field: 'data.long', message: expect.any(String) as string },
      { field: 'data.big', message: expect.any(String) as string },
    ]) as unknown,
  });
  await shows('current_general_entities', 'id', id, { data: { good: 1 } });
});

it('accepts 524,288 bytes and refuses one byte more', async () => {
  const frame = JSON.stringify({ id: 'limit', data: {}, filler: '' }).length;
  const makeBody = (bytes: number) => ({ id: 'limit', data: {}, filler: 'x'.repeat(bytes - frame) });
  expect((await sync('general', makeBody(524_288))).status).toBe(200);
  const over = await sync('general', makeBody(524_289));
  expect([over.status, over.body]).toEqual([
    413,
    [
      { field: '', message: 'error.request.tooLarge' },
      { field: '', message: expect.stringContaining('at most 524288 are allowed') as string },
    ],
  ]);
});

describe.each(catalogCases)('$endpoint', ({ endpoint, message, fields }) => {
  it('accepts a message with only the required fields', async () => {
    expectQueued(await sync(endpoint, message));
  });

  it('names every missing field', async () => {
    const { status, body } = await sync(endpoint, {});
    const missing = Object.keys(message).map((field) => ({ field, message: expect.any(String) as string }));
    expect(status).toBe(400);
    expect(body).toHaveLength(missing.length);
    expect(body).toEqual(expect.arrayContaining(missing));
  });

  it('accepts the good values of each field and refuses the bad ones', async () => {
    // JSON cannot express Infinity.
    const sent = (value: unknown) => value !== Infinity;
    for (const [field, { good, bad }] of Object.entries(fields)) {
      for (const value of good) expectQueued(await sync(`${endpoint}?validate=only`, { ...message, [field]: value }));
      for (const value of bad.filter(sent)) {
        const { status, body } = await sync(endpoint, { ...message, [field]: value });
        expect([status, body]).toEqual([400, [{ field, message: expect.any(String) as string }]]);
      }
    }
  });

  it('refuses a request without a key or with an unknown source', async () => {
    const unauthorized = await sync(endpoint, message, { headers: { authorization: '' } });
    expect(unauthorized.status).toBe(401);
    const unknown = await sync(endpoint, message, { source: { ...local().source, sourceIdentifier: 'unknown00000' } });
    expect(unknown.status).toBe(404);
  });
});

it('the OpenAPI document describes every field of every entity', async () => {
  const response = await fetch(`${local().gateway.url}/openapi.json`);
  const { paths, components } = (await response.json()) as {
    paths: Record<string, { post: { tags: string[] } }>;
    components: { schemas: Record<string, { properties: Record<string, unknown>; required?: string[] }> };
  };
  for (const { endpoint, message, fields } of catalogCases) {
    const path = `/api/tracker/catalog/{sourceIdentifier}/${endpoint}`;
    expect(paths[path]?.post.tags).toEqual(['Sync API']);
    const name = endpoint === 'general' ? 'GeneralEntity' : endpoint.replace(/^./, (first) => first.toUpperCase());
    expect(Object.keys(components.schemas[name]?.properties ?? {})).toEqual(Object.keys(fields));
    expect(components.schemas[name]?.required).toEqual(Object.keys(message));
  }
  expect(components.schemas['ProductVariant']?.properties).toMatchObject({
    variantId: { type: 'string', minLength: 1, maxLength: 255 },
    price: { type: 'number', exclusiveMinimum: -1e29, exclusiveMaximum: 1e29 },
    url: { type: ['string', 'null'], maxLength: 512, format: 'iri' },
    attributes: { anyOf: [{ $ref: '#/components/schemas/FreeFormOfAnyNames' }, { type: 'null' }] },
  });
});
