import { randomUUID } from 'node:crypto';
import { BlockWriter, createClickHouse, migrate, readMigrations } from '@sluice/clickhouse';
import type {} from '@sluice/testing'; // types of `inject`
import { eventually } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `products_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
const writer = new BlockWriter(client);
const migrations = await readMigrations('tracking', new URL('../migrations/', import.meta.url));
const [before, after] = [migrations.slice(0, 14), migrations.slice(14)];

beforeAll(() => migrate(config, before));
afterAll(() => writer.close());

const aRow = (offset: number, properties: object, columns: object = {}) => {
  const time = '2026-11-22T05:10:00.123Z';
  const ids = { message_id: randomUUID(), request_id: randomUUID(), user_id: `u-${offset}` };
  const row = { source_id: 'TestSource12', ...ids, received_at: time, timestamp: time, event: 'order', properties };
  return {
    value: Buffer.from(JSON.stringify({ ...row, ...columns })),
    offset: `${offset}`,
    timestamp: '1700000000000',
  };
};

/** Stores rows as the consumers of that time did: an array takes a type that an earlier row has. */
async function storeAsBefore(rows: ReturnType<typeof aRow>[]): Promise<void> {
  const lines = rows.map(({ value, offset }) => value.toString().replace('{', `{"kafka_offset":${offset},`));
  const settings = ['input_format_json_infer_array_of_dynamic_from_array_of_different_types = 1'];
  const insert = `INSERT INTO events SETTINGS date_time_input_format = 'best_effort', ${settings.join()} FORMAT JSONEachRow`;
  await client.command({ query: `${insert} ${lines.join('\n')}` });
}

async function products(): Promise<Record<string, string[]>> {
  const query = 'SELECT toString(kafka_offset) AS o, arraySort(product_ids) AS ids FROM events ORDER BY kafka_offset';
  const result = await client.query({ query, format: 'JSONEachRow' });
  return Object.fromEntries((await result.json<{ o: string; ids: string[] }>()).map(({ o, ids }) => [o, ids]));
}

it('gives products back to the events that lost them by the array of another, and keeps all others', async () => {
  await storeAsBefore([
    aRow(1, { items: [{ product_id: 'a', price: 1 }, 5] }),
    aRow(2, { items: [{ product_id: 'b', price: 1 }, { productId: 7 }], product_id: 'c' }),
    aRow(3, { products: [{ product_id: 'd' }] }),
  ]);
  expect(await products()).toEqual({ 1: [], 2: ['c'], 3: ['d'] });

  await migrate(config, after);
  const idsByEvent = { 1: ['a'], 2: ['7', 'b', 'c'], 3: ['d'] };
  await eventually(async () => expect(await products()).toEqual(idsByEvent));

  // A gateway names the products; rows of one that does not yet get them from their text.
  await writer.append('events', {
    id: randomUUID(),
    partition: 0,
    replay: false,
    possibleRepeats: [],
    rows: [
      aRow(4, { items: [1, 'a'] }),
      aRow(5, { items: [{ product_id: 'e' }] }),
      aRow(6, { items: [{ product_id: 'f' }] }, { product_ids: ['f'] }),
      aRow(7, {}, { product_ids: [] }),
    ],
  });
  expect(await products()).toEqual({ ...idsByEvent, 4: [], 5: ['e'], 6: ['f'], 7: [] });
});
