import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Registry } from '@sluice/service';
import type {} from '@sluice/testing'; // types of `inject`
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { createClickHouse } from '../connection/client.js';
import { readMigrations } from '../migrations/migration.js';
import { migrate } from '../migrations/migrations.js';
import { buildSchema } from '../schema/schema.js';
import { lookUpIn } from '../look-up/look-up.js';
import { insertSettings } from '../rows/insert-settings.js';
import { BlockWriter } from './block-writer.js';
import { fillView } from './fill-view.js';
import { ForeignViews } from './foreign-views.js';
import { InsertMetrics } from './insert-metrics.js';
import { ownViews } from './own-views.js';

const folders = ['tracking', 'catalog'].map((app) => ({
  app,
  folder: fileURLToPath(new URL(`../../../../apps/${app}/migrations/`, import.meta.url)),
}));
let database: string;
let analysts: string;
let client: ReturnType<typeof createClickHouse>;
let registry: Registry;
let writer: BlockWriter;

beforeEach(async () => {
  database = `sluice_${randomUUID().slice(0, 8)}`;
  analysts = `analysts_${randomUUID().slice(0, 8)}`;
  const config = {
    CLICKHOUSE_URL: inject('clickhouseUrl'),
    CLICKHOUSE_DATABASE: database,
    CLICKHOUSE_USER: 'default',
    CLICKHOUSE_PASSWORD: '',
  };
  for (const { app, folder } of folders) await migrate(config, await readMigrations(app, folder));
  client = createClickHouse(config);
  registry = new Registry();
  writer = new BlockWriter(client, {}, new InsertMetrics(registry));
  await client.command({ query: `CREATE DATABASE ${analysts}` });
});
afterEach(async () => {
  await client.command({ query: `DROP DATABASE ${analysts} SYNC` });
  await client.command({ query: `DROP DATABASE ${database} SYNC` });
  await writer.close();
});

/** Hangs a view that is not ours on a table. */
async function hang(name: string, source: string, column: string): Promise<void> {
  await client.command({
    query: `CREATE TABLE ${analysts}.${name}_rows (n UInt64) ENGINE = MergeTree ORDER BY n
            SETTINGS non_replicated_deduplication_window = 10000`,
  });
  await client.command({
    query: `CREATE MATERIALIZED VIEW ${analysts}.${name} TO ${analysts}.${name}_rows AS SELECT ${column} AS n FROM ${database}.${source}`,
  });
}

const count = async (query: string): Promise<number> => {
  const result = await client.query({ query: `SELECT count() AS n FROM ${query}`, format: 'JSONEachRow' });
  const [row] = await result.json<{ n: string }>();
  return Number(row?.n);
};
const failingViews = async (): Promise<string[]> => {
  const text = await registry.metrics();
  return text.split('\n').filter((line) => line.startsWith('sluice_clickhouse_foreign_view_failing{'));
};

const receivedAt = new Date().toISOString();
let offset = 0;
/** A block of rows of a table, each with its number as user and as name. */
function aBlock(table: string, rows: number) {
  const firstOffset = offset;
  offset += rows;
  return {
    id: `${table}:0:${firstOffset}`,
    partition: 0,
    replay: false,
    possibleRepeats: [],
    rows: Array.from({ length: rows }, (_, i) => {
      const n = String(firstOffset + i);
      const messageId = `00000000-0000-8000-8000-${n.padStart(12, '0')}`;
      const head = { source_id: 's', request_id: messageId, received_at: receivedAt, message_id: messageId };
      const row =
        table === 'products'
          ? { ...head, version: 1, entity_id: n, id: n, product_id: n }
          : { ...head, user_id: `u${n}`, timestamp: receivedAt, event: 'e', traits: { plan: n }, properties: { n } };
      return { value: Buffer.from(JSON.stringify(row)), offset: n, timestamp: '1772359200000' };
    }),
  };
}

it('knows every materialized view of the migrations', async () => {
  const views = (await Promise.all(folders.map(({ app, folder }) => readMigrations(app, folder)))).flatMap((files) =>
    buildSchema(files).objects.flatMap(({ kind, view }) =>
      kind === 'materialized view' && view
        ? [/VIEW\s+(?:IF NOT EXISTS\s+)?(\w+)\s+TO\s+(\w+).*\sFROM\s+(\w+)/is.exec(view.statement)?.slice(1, 4)]
        : [],
    ),
  );
  const known = [...ownViews].flatMap(([table, ofTable]) => ofTable.map(({ name, target }) => [name, target, table]));
  expect(views.toSorted()).toEqual(known.toSorted());
});

const failures: [string, (source: string) => Promise<void>, string][] = [
  ['throws for one row', (source) => hang('bad', source, 'throwIf(kafka_offset % 1000 = 700)'), 'FUNCTION_THROW'],
  ['throws always', (source) => hang('bad', source, 'throwIf(1)'), 'FUNCTION_THROW'],
  [
    'has no target any more',
    async (source) => {
      await hang('bad', source, 'kafka_offset');
      await client.command({ query: `DROP TABLE ${analysts}.bad_rows SYNC` });
    },
    'UNKNOWN_TABLE',
  ],
];

it.each(failures)('stores every row once, and names the view, where a view %s', async (_, make, code) => {
  const tables = ['events', 'identifies', 'products'] as const;
  for (const table of tables) {
    await make(table);
    await hang('good', table, 'kafka_offset');
    for (const replay of [false, false, true]) {
      const block = { ...aBlock(table, 1_000), replay };
      for (let tries = 0; tries < 2; tries++)
        expect(
          await (table === 'events'
            ? writer.append(table, block)
            : table === 'identifies'
              ? writer.appendWithView(table, { name: 'users_from_identifies', target: 'users' }, block)
              : writer.insert(table, block)),
        ).toEqual([]);
    }
    // A replay of a merging table is inserted under a second id, so this view has copies.
    expect(await count(`(SELECT DISTINCT n FROM ${analysts}.good_rows)`)).toBe(3_000);
    expect(await failingViews()).toEqual([
      expect.stringContaining(`table="${table}",view="${analysts}.bad",code="${code}`),
    ]);
    for (const view of ['bad', 'good']) {
      await client.command({ query: `DROP VIEW ${analysts}.${view} SYNC` });
      await client.command({ query: `DROP TABLE IF EXISTS ${analysts}.${view}_rows SYNC` });
    }
    registry.resetMetrics();
  }
  expect([await count('events'), await count('identifies'), await count('products FINAL')]).toEqual([
    3_000, 3_000, 3_000,
  ]);
  expect([await count('users FINAL'), await count('catalog_messages FINAL')]).toEqual([3_000, 3_000]);
});

it('takes a block whose foreign view outlasts the INSERT, where a block is one part', async () => {
  const late = { ...insertSettings, max_execution_time: 1 };
  const foreignViews = new ForeignViews(client, lookUpIn(client));
  for (const table of ['events', 'identifies', 'products']) {
    const block = aBlock(table, 10);
    await hang('slow', table, 'kafka_offset + sleep(2.5)');
    const insert = foreignViews.insert(table, block, late);
    // A block of a table with partitions is looked up row by row when it is replayed.
    if (table === 'events') await expect(insert).rejects.toMatchObject({ type: 'TIMEOUT_EXCEEDED' });
    else expect(await insert).toBeGreaterThan(0);
    await client.command({ query: `DROP VIEW ${analysts}.slow SYNC` });
    await client.command({ query: `DROP TABLE ${analysts}.slow_rows SYNC` });
  }
  expect([await count('events'), await count('identifies'), await count('products')]).toEqual([10, 10, 10]);
  expect([await count('users FINAL'), await count('catalog_messages FINAL')]).toEqual([10, 10]);
});

it('fills the targets of our views as the views do', async () => {
  const readTarget = async (target: string): Promise<unknown[]> => {
    const query = `SELECT * EXCEPT stored_at FROM ${target} FINAL ORDER BY ALL`;
    return (await client.query({ query, format: 'JSONEachRow' })).json();
  };
  for (const [table, views] of ownViews)
    for (const view of views) {
      await client.command({ query: `TRUNCATE TABLE ${view.target}` });
      const block = withEveryId(aBlock(table, 20));
      await writer.insert(table, block);
      const filledByView = await readTarget(view.target);
      expect(filledByView).toHaveLength(20);
      await client.command({ query: `TRUNCATE TABLE ${view.target}` });
      await fillView(client, table, view, block, insertSettings);
      expect(await readTarget(view.target)).toEqual(filledByView);
    }
});

/** Gives each row the columns by which any of the tables with a view of ours distinguishes its rows, and some more. */
function withEveryId(block: ReturnType<typeof aBlock>): ReturnType<typeof aBlock> {
  const rows = block.rows.map((row) => {
    const ids = ['product_id', 'seller_id', 'variant_id', 'category_id', 'entity_id', 'type', 'id'].map((name) => [
      name,
      row.offset,
    ]);
    const more: Record<string, unknown> = {
      ...(JSON.parse(row.value.toString()) as object),
      ...(Object.fromEntries(ids) as Record<string, string>),
      version: 1,
      price: 7,
      stock: 2,
      is_available: true,
    };
    return { ...row, value: Buffer.from(JSON.stringify(more)) };
  });
  return { ...block, rows };
}

it('writes of other kinds do not heed views of others', async () => {
  await hang('bad', 'event_mutes', 'throwIf(1)');
  const [column] = await readColumnNames('event_mutes');
  await client.insert({ table: 'event_mutes', values: [{ [column ?? '']: 'x' }], format: 'JSONEachRow' });
  expect(await count('event_mutes')).toBe(1);
});

async function readColumnNames(table: string): Promise<string[]> {
  const result = await client.query({
    query: `SELECT name FROM system.columns WHERE database = currentDatabase() AND table = '${table}' AND type LIKE '%String%'`,
    format: 'JSONEachRow',
  });
  return (await result.json<{ name: string }>()).map(({ name }) => name);
}
