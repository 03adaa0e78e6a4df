import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { findMigrations } from '@sluice/operations';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it, vi } from 'vitest';
import { json, operator } from '../operator.spec-support.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `list_issues_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
const [catalog, shop] = ['Warehouse', 'Shop'];
const arrivedAt = Date.parse('2026-10-01T12:00:00Z');

const put = (table: string, values: readonly object[]) =>
  client.insert({ table, values: [...values], format: 'JSONEachRow' });
const aState = { source_id: catalog, version: arrivedAt * 1_000, received_at: arrivedAt };

beforeAll(async () => {
  await migrate(config, await findMigrations());
  await put('sellers', [{ ...aState, seller_id: 's-1' }]);
  await put(
    'products',
    ['p-1', 'p-2', 'p-3'].map((product_id) => ({ ...aState, product_id, category_id: 'gone', is_available: true })),
  );
  const variant = { ...aState, variant_id: 'v-1', product_id: 'p-2', price: '5', stock: 0, is_buy_box_winner: true };
  await put('product_variants', [{ ...variant, seller_id: 'left\u001b[2J', is_available: true }]);
  await put(
    'events',
    ['p-1', 'p-2', 'p-2'].map((product_id) => ({
      ...{ source_id: shop, event: 'product_viewed', user_id: 'u', message_id: randomUUID() },
      ...{ timestamp: Date.now() - 60_000, received_at: Date.now(), properties: { product_id } },
    })),
  );
});
beforeEach(() => {
  vi.stubEnv('SLUICE_DATA_DIR', '/no/such/folder');
  vi.stubEnv('CLICKHOUSE_URL', config.CLICKHOUSE_URL);
  vi.stubEnv('CLICKHOUSE_DATABASE', config.CLICKHOUSE_DATABASE);
});
afterEach(() => vi.unstubAllEnvs());
afterAll(async () => {
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await client.close();
});

interface Listed {
  counts: Record<string, number>;
  issues: { entity: string; entityId: string; issue: string; names: string; since: string; events: number }[];
}

const listIssues = (...options: string[]) =>
  json<Listed>('catalog', 'issues', '--source', catalog, '--days', '10000', ...options);

it('lists how many entities have each issue, and those that most events touched first', async () => {
  const { counts, issues } = await listIssues('--events', shop);
  expect(counts).toEqual({ missing_category: 3, available_without_stock: 1, missing_seller: 1 });
  expect(issues.map(({ issue, entityId, names, events }) => [issue, entityId, names, events])).toEqual([
    ['missing_category', 'p-2', 'gone', 2],
    ['available_without_stock', 'v-1', '', 2],
    ['missing_seller', 'v-1', 'left\u001b[2J', 2],
    ['missing_category', 'p-1', 'gone', 1],
    ['missing_category', 'p-3', 'gone', 0],
  ]);
  expect(new Set(issues.map(({ since }) => Date.parse(since)))).toEqual(new Set([arrivedAt]));
});

it('counts all when it lists a few, and takes the events of the catalog itself by default', async () => {
  const { counts, issues } = await listIssues('--events', shop, '--limit', '2');
  expect(counts).toEqual({ missing_category: 3, available_without_stock: 1, missing_seller: 1 });
  expect(issues.map(({ entityId }) => entityId)).toEqual(['p-2', 'v-1']);
  expect((await listIssues()).issues.map(({ events }) => events)).toEqual([0, 0, 0, 0, 0]);
});

it('prints tables in which what clients sent cannot control the terminal', async () => {
  const { exitCode, stdout } = await operator('catalog', 'issues', '--source', catalog, '--days', '10000');
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^ISSUE +ENTITIES$/m);
  expect(stdout).toMatch(/^missing_category +3$/m);
  expect(stdout).toMatch(/^0 +missing_seller +product_variant +v-1 +left \[2J +2026-10-01 12:00:00 UTC$/m);
  expect(stdout).not.toContain('\u001b');
});

it('says when nothing is wrong', async () => {
  const { stdout } = await operator('catalog', 'issues', '--source', 'Empty');
  expect(stdout).toBe('no issues\n');
});
