import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { findMigrations } from '../status/migration-files.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `issues_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
const [catalog, source] = ['catalog', 'source'];

/** Minutes ago, as a version. */
const minutesAgo = (minutes: number): number => (Date.now() - minutes * 60_000) * 1_000;
const day = 24 * 60;
const timeText = (minutes: number): string =>
  new Date(Date.now() - minutes * 60_000).toISOString().replace('T', ' ').slice(0, -1);

type Fields = Record<string, unknown>;

async function insert(table: string, values: readonly Fields[]): Promise<void> {
  await client.insert({ table, values: [...values], format: 'JSONEachRow' });
}

const entity = (fields: Fields): Fields => ({ source_id: catalog, version: minutesAgo(60), ...fields });
const product = (fields: Fields): Fields => entity({ category_id: 'lamps', is_available: true, ...fields });
const variant = (fields: Fields): Fields =>
  entity({
    ...{ product_id: 'good', seller_id: 's', price: '10', stock: 3, is_available: true, is_buy_box_winner: false },
    ...fields,
  });
const category = (fields: Fields): Fields => entity({ level: 1, parent_category_id: '', ...fields });

beforeAll(async () => {
  await migrate(config, await findMigrations());
  await insert('sellers', [entity({ seller_id: 's' })]);
  await insert('sellers', [entity({ seller_id: 'left', is_deleted: true, version: minutesAgo(10) })]);
  await insert('categories', [
    category({ category_id: 'home' }),
    category({ category_id: 'lamps', parent_category_id: 'home', level: 2, is_leaf: true }),
    category({ category_id: 'bulbs', parent_category_id: 'lamps', level: 3, is_leaf: true, version: minutesAgo(20) }),
    category({ category_id: 'deep', parent_category_id: 'home', level: 7 }),
    category({ category_id: 'deeper', parent_category_id: 'home', level: 2 }),
    category({ category_id: 'orphan', parent_category_id: 'gone', level: 2 }),
    category({ category_id: 'left', parent_category_id: 'right', level: 2 }),
    category({ category_id: 'right', parent_category_id: 'left', level: 1 }),
  ]);
  await insert('products', [
    product({ product_id: 'good' }),
    product({ product_id: 'twice' }),
    product({ product_id: 'nobody', category_id: 'gone' }),
    product({ product_id: 'old', version: minutesAgo(40 * day) }),
    product({ product_id: 'deleted', category_id: '', is_deleted: true, version: minutesAgo(5) }),
  ]);
  await insert('product_variants', [
    variant({ variant_id: 'good', is_buy_box_winner: true }),
    variant({ variant_id: 'twice-1', product_id: 'twice', is_buy_box_winner: true }),
    variant({ variant_id: 'twice-2', product_id: 'twice', is_buy_box_winner: true, version: minutesAgo(30) }),
    variant({ variant_id: 'nobody', product_id: 'nobody', seller_id: 'left' }),
    variant({ variant_id: 'lost', product_id: 'deleted', is_buy_box_winner: true }),
    variant({ variant_id: 'free', price: '0' }),
    variant({ variant_id: 'dear', price: '5', discounted_price: '5' }),
    variant({ variant_id: 'empty', stock: 0 }),
    variant({ variant_id: 'stale', version: minutesAgo(31 * day) }),
    variant({ variant_id: 'removed', price: '0', is_deleted: true }),
  ]);
  const seen = ['twice', 'twice', 'twice', 'nobody', 'deleted', 'good'];
  await insert(
    'events',
    seen.map((product_id, index) => ({
      ...{ source_id: source, event: 'product_viewed', user_id: 'u', message_id: randomUUID() },
      ...{ timestamp: timeText(index + 1), received_at: timeText(0), properties: { product_id } },
    })),
  );
});
afterAll(async () => {
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await client.close();
});

it('names each issue once, with its entity, what it names and the events that it touched', async () => {
  const result = await client.query({
    query: `SELECT entity, entity_id, issue, names, toUInt32(events) AS events
      FROM catalog_issues(source = '${source}', catalog = '${catalog}', days = '30')
      ORDER BY events DESC, entity, entity_id, issue`,
    format: 'JSONCompactEachRow',
  });
  expect(await result.json()).toEqual([
    ['category', 'lamps', 'leaf_with_children', '', 4],
    ['product', 'twice', 'several_buy_box_winners', '', 3],
    ['product', 'nobody', 'missing_category', 'gone', 1],
    ['product', 'nobody', 'no_buy_box_winner', '', 1],
    ['product_variant', 'dear', 'discount_not_below_price', '', 1],
    ['product_variant', 'empty', 'available_without_stock', '', 1],
    ['product_variant', 'free', 'price_of_zero', '', 1],
    ['product_variant', 'lost', 'missing_product', 'deleted', 1],
    ['product_variant', 'nobody', 'missing_seller', 'left', 1],
    ['product_variant', 'stale', 'untouched', '', 1],
    ['category', 'deep', 'level_not_below_parent', 'home', 0],
    ['category', 'left', 'circle_of_parents', 'right', 0],
    ['category', 'orphan', 'missing_parent', 'gone', 0],
    ['category', 'right', 'circle_of_parents', 'left', 0],
    ['category', 'right', 'level_not_below_parent', 'left', 0],
    ['product', 'old', 'untouched', '', 0],
  ]);
});

it('an issue begins with the last message that could have made it', async () => {
  const result = await client.query({
    query: `SELECT entity_id, issue, dateDiff('minute', since, now64(3)) AS minutes
      FROM catalog_issues(source = '${source}', catalog = '${catalog}', days = '30')
      WHERE entity_id IN ('lost', 'nobody', 'twice', 'lamps') AND issue != 'missing_category' ORDER BY entity_id, issue`,
    format: 'JSONEachRow',
  });
  const rows: { entity_id: string; issue: string; minutes: string }[] = await result.json();
  const agesByIssue = rows.map(({ entity_id, issue, minutes }) => [
    entity_id,
    issue,
    Math.round(Number(minutes) / 5) * 5,
  ]);
  expect(agesByIssue).toEqual([
    ['lamps', 'leaf_with_children', 20],
    ['lost', 'missing_product', 5],
    ['nobody', 'missing_seller', 10],
    ['nobody', 'no_buy_box_winner', 60],
    ['twice', 'several_buy_box_winners', 30],
  ]);
});
