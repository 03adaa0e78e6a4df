import { randomUUID } from 'node:crypto';
import { catalogCases, eventually } from '@sluice/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HttpAnswer, select, sync } from './stack.js';

const lenient = { headers: { prefer: 'handling=lenient' } };
const page = 'https://example.com/page';

interface Problem {
  field: string;
  message: string;
}

/** The parts of an answer that are about one item: what is refused, and what is dropped. */
interface ItemAnswer {
  refused: Problem[];
  dropped: Problem[];
}

/** Paths that the batch names, as the item alone has them. */
const ofItem = (problems: readonly Problem[] | undefined, index: number): Problem[] =>
  (problems ?? [])
    .filter(({ field }) => field === `list[${index}]` || field.startsWith(`list[${index}].`))
    .map(({ field, message }) => ({ field: field.slice(`list[${index}].`.length), message }));

async function sendAlone(endpoint: string, text: string): Promise<ItemAnswer> {
  const { status, body } = await sync(`${endpoint}?validate=only`, text);
  return status === 200
    ? { refused: [], dropped: (body as { dropped?: Problem[] }).dropped ?? [] }
    : { refused: body as Problem[], dropped: [] };
}

async function sendTogether(endpoint: string, texts: readonly string[]): Promise<ItemAnswer[]> {
  const { status, body } = await sync(`${endpoint}Batch?validate=only`, `{"list":[${texts.join(',')}]}`, lenient);
  const { rejected, dropped } = (status === 200 ? body : { rejected: body }) as Record<string, Problem[]>;
  return texts.map((_, index) => ({ refused: ofItem(rejected, index), dropped: ofItem(dropped, index) }));
}

/** Number literals with more digits than a double has, too many for a column, and usual ones. */
const literals = fc.oneof(
  fc.constantFrom('0.1', '1e21', '1e29', '-0', '1E-9', '1e-400', '19.999999999999999999', '0.1000000000000000000'),
  fc.constantFrom('99999999999999999999999999999.999999999', '12345678901234567.890123456', '1.0000000001'),
  fc.bigInt({ min: -(10n ** 31n), max: 10n ** 31n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);

/** Most of them fit a column. */
const fittingLiterals = fc.oneof(
  { weight: 1, arbitrary: literals },
  {
    weight: 9,
    arbitrary: fc
      .tuple(fc.bigInt({ min: -(10n ** 28n), max: 10n ** 28n }), fc.nat(999_999_999))
      .map(([whole, fraction]) => `${whole}.${fraction}`),
  },
);

const withNumbers = (message: object, numbers: Readonly<Record<string, string>>): string =>
  `${JSON.stringify(message).slice(0, -1)}${Object.entries(numbers)
    .map(([name, literal]) => `,${JSON.stringify(name)}:${literal}`)
    .join('')}}`;

describe.each(catalogCases)('$endpoint', ({ endpoint, message, fields }) => {
  /** Messages with a field that may be wrong, unknown fields, and values that are dropped. */
  const texts = fc
    .record({
      changes: fc.array(
        fc
          .constantFrom(...Object.entries(fields))
          .chain(([name, { good, bad }]) =>
            fc
              .constantFrom(...good, ...bad.filter((value) => value !== Infinity))
              .map((value) => [name, value] as const),
          ),
        { maxLength: 2 },
      ),
      extra: fc.constantFrom({}, { colour: 'red' }, { attributes: { big: 2 ** 60, price: 1 } }, { data: { '.': 1 } }),
      numbers: fc.dictionary(fc.constantFrom('price', 'discountedPrice', 'stock', 'level', 'totalStock'), literals),
    })
    .map(({ changes, extra, numbers }) =>
      withNumbers(
        { ...message, ...extra, ...Object.fromEntries(changes) },
        endpoint === 'productVariant' ? numbers : {},
      ),
    )
    // Long texts have their own tests.
    .filter((text) => text.length < 20_000);

  it('an item of a batch is judged like the entity alone', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 20 }), async (items) => {
        const alone = await Promise.all(items.map((text) => sendAlone(endpoint, text)));
        expect(await sendTogether(endpoint, items)).toEqual(alone);
      }),
      { numRuns: 40 },
    );
  });

  it('takes a batch of 100, and refuses 101, none, and a batch with one bad item', async () => {
    const send = (list: readonly unknown[]) => sync(`${endpoint}Batch?validate=only`, { list });
    expect(await send(Array(100).fill(message))).toMatchObject({ status: 200, body: { status: 'QUEUED' } });
    for (const count of [0, 101])
      expect(await send(Array(count).fill(message))).toMatchObject({ status: 400, body: [{ field: 'list' }] });
    const missing = Object.keys(message).map((field) => `list[1].${field}`);
    const { status, body } = await send([message, {}, message]);
    expect([status, (body as Problem[]).map(({ field }) => field).sort()]).toEqual([400, missing.sort()]);
  });
});

it('stores the variants of a batch as those that are sent alone, with every digit', { timeout: 60_000 }, async () => {
  const prefix = randomUUID().slice(0, 8);
  const base = { productId: 'p', sellerId: 's', isAvailable: true, isBuyBoxWinner: false, url: page };
  // Below and above the size from which the items of a batch are parsed one by one.
  for (const padding of [0, 2_000]) {
    const variants = fc
      .sample(fc.tuple(fittingLiterals, fittingLiterals, fittingLiterals), 100)
      .map(([price, discountedPrice, stock], i) => {
        const message = { ...base, attributes: { price: 'x', i, padding: 'x'.repeat(padding) } };
        return (kind: string) =>
          withNumbers(
            { variantId: `${prefix}-${padding}-${kind}-${i}`, ...message },
            { price, discountedPrice, stock },
          );
      });
    const alone = await Promise.all(variants.map((write) => sync('productVariant', write('alone'))));
    const together = await sync(
      'productVariantBatch',
      `{"list":[${variants.map((write) => write('batch')).join(',')}]}`,
      lenient,
    );
    const stored = alone.filter(({ status }) => status === 200).length;
    expect(together.status).toBe(200);
    expect(stored).toBeGreaterThan(10);
    await eventually(async () => {
      const rows = await select<{ kind: string; states: unknown[] }>(
        `SELECT splitByChar('-', variant_id)[3] AS kind, count() AS n,
           arraySort(groupArray((toString(attributes.i), toString(price), toString(discounted_price), toString(stock), url))) AS states
         FROM current_product_variants WHERE startsWith(variant_id, {start:String}) GROUP BY kind ORDER BY kind`,
        { start: `${prefix}-${padding}-` },
      );
      expect(rows).toMatchObject([
        { kind: 'alone', n: stored },
        { kind: 'batch', n: stored },
      ]);
      expect(rows[1]?.states).toEqual(rows[0]?.states);
    });
  }
});

it('the last of several items about one entity is its state, also when the batch is repeated under its key', async () => {
  const id = `several-${randomUUID()}`;
  const state = (n: number) => ({ id, type: 'several', data: { n } });
  const send = (key: string, ...states: number[]) =>
    sync('generalBatch', { list: states.map(state) }, { headers: { 'idempotency-key': key } });
  const shows = (n: number) =>
    eventually(async () => {
      const rows = await select('SELECT data FROM current_general_entities WHERE id = {id:String}', { id });
      expect(rows).toEqual([{ data: { n } }]);
    });
  const key = randomUUID();
  const first = await send(key, 1, 2, 3);
  await shows(3);
  await send(randomUUID(), 4);
  await shows(4);
  const repeat = await send(key, 1, 2, 3);
  // A mark behind the repeat in its partition: the repeat is done when the mark is stored.
  await send(randomUUID(), 5);
  await shows(5);
  const storedOf = async ({ headers }: HttpAnswer) =>
    (
      await select('SELECT version FROM catalog_messages FINAL WHERE request_id = {request:UUID}', {
        request: headers.get('x-request-id'),
      })
    ).length;
  expect([await storedOf(first), await storedOf(repeat)]).toEqual([3, 0]);
});

it('refuses numbers whose digits are not certain, instead of storing fewer', async () => {
  const variant = (price: string) =>
    withNumbers(
      { variantId: 'v', productId: 'p', sellerId: 's', stock: 1, isAvailable: true, isBuyBoxWinner: true },
      { price },
    );
  const twice = `{"list":[${variant('1')}],"l\\u0069st":[${variant('0.1000000000000000055')}]}`;
  const { status, body } = await sync('productVariantBatch?validate=only', twice);
  expect(status).toBe(400);
  expect(body).toMatchObject([{ field: 'list[0].price' }, { field: 'list[0].stock' }]);
});

it('takes 819,200 bytes and no more', async () => {
  const body = (bytes: number) => '{"list":[{"id":"size","data":{}}]'.padEnd(bytes - 1) + '}';
  expect((await sync('generalBatch?validate=only', body(819_200))).status).toBe(200);
  expect((await sync('generalBatch?validate=only', body(819_201))).status).toBe(413);
});
