import { randomUUID } from 'node:crypto';
import { catalogCases, eventually } from '@sluice/testing';
import { describe, expect, it } from 'vitest';
import { select, sync } from './stack.js';

const places = {
  seller: ['sellers', 'seller_id', 'sellerId'],
  product: ['products', 'product_id', 'productId'],
  productVariant: ['product_variants', 'variant_id', 'variantId'],
  category: ['categories', 'category_id', 'categoryId'],
  general: ['general_entities', 'id', 'id'],
} as const;

describe.each(catalogCases)('$endpoint', ({ endpoint, message }) => {
  const [table, column, idField] = places[endpoint];
  const send = (path: string, body: unknown, key?: string) =>
    sync(`${endpoint}${path}`, body, key === undefined ? {} : { headers: { 'idempotency-key': key } });
  const expectTaken = async (answer: ReturnType<typeof send>) =>
    expect(await answer).toMatchObject({ status: 200, body: { status: 'QUEUED' } });

  /** Waits until the view shows these of the ids that begin with the prefix, and nothing else. */
  const shows = (prefix: string, ids: readonly string[]) =>
    eventually(async () => {
      const query = `SELECT ${column} AS id FROM current_${table} WHERE startsWith(${column}, {prefix:String}) ORDER BY id`;
      expect((await select<{ id: string }>(query, { prefix })).map(({ id }) => id)).toEqual(ids);
    });

  it('is deleted, and comes back by a newer state alone', async () => {
    const prefix = `deleted-${randomUUID()}`;
    const [first, second] = [`${prefix}-1`, `${prefix}-2`];
    const key = randomUUID();
    await expectTaken(send('', { ...message, [idField]: first }, key));
    await expectTaken(send('', { ...message, [idField]: second }));
    await shows(prefix, [first, second]);
    await expectTaken(send('Delete', { list: [{ [idField]: first }, { [idField]: `${prefix}-never` }] }));
    await shows(prefix, [second]);
    // The retry of the old request, and an old state by the sender's time.
    await expectTaken(send('', { ...message, [idField]: first }, key));
    await expectTaken(send('', { ...message, [idField]: first, updatedAt: '2026-01-01T00:00:00Z' }));
    await expectTaken(
      send('Batch', {
        list: [
          { ...message, [idField]: second },
          { ...message, [idField]: `${prefix}-3` },
        ],
      }),
    );
    await shows(prefix, [second, `${prefix}-3`]);
    await expectTaken(send('', { ...message, [idField]: first }));
    await shows(prefix, [first, second, `${prefix}-3`]);
  });

  it("the sender's time decides, and one in the future does not freeze an entity", async () => {
    const prefix = `timed-${randomUUID()}`;
    const id = `${prefix}-1`;
    const at = (updatedAt: string) => ({ [idField]: id, updatedAt });
    await expectTaken(send('', { ...message, ...at('2026-03-01T00:00:02Z') }));
    await expectTaken(send('Delete', { list: [at('2026-03-01T00:00:01Z')] }));
    await shows(prefix, [id]);
    await expectTaken(send('Delete', { list: [at('2026-03-01T00:00:03Z')] }));
    await shows(prefix, []);
    await expectTaken(send('', { ...message, ...at('2149-01-01T00:00:00Z') }));
    await shows(prefix, [id]);
    await expectTaken(send('Delete', { list: [at('2149-01-01T00:00:00Z')] }));
    await shows(prefix, []);
    const rows = await select(`SELECT updated_at FROM ${table} FINAL WHERE ${column} = {id:String}`, { id });
    expect(rows).toEqual([{ updated_at: '2149-01-01 00:00:00.000' }]);
  });

  it('takes 1 to 100 ids, and names what is wrong with each', async () => {
    const only = (list: readonly unknown[]) => send('Delete?validate=only', { list });
    expect(await only(Array(100).fill({ [idField]: 'x' }))).toMatchObject({ status: 200 });
    expect(await only(Array(101).fill({ [idField]: 'x' }))).toMatchObject({ status: 400, body: [{ field: 'list' }] });
    expect(await only([{ [idField]: 'x' }, {}, { [idField]: 'y', updatedAt: 'today' }])).toMatchObject({
      status: 400,
      body: [{ field: `list[1].${idField}` }, { field: 'list[2].updatedAt' }],
    });
  });
});
