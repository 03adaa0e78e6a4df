import { randomUUID } from 'node:crypto';
import { BlockWriter, createClickHouse, migrate, readMigrations } from '@sluice/clickhouse';
import { header, identifyTopic } from '@sluice/contracts';
import { type Block } from '@sluice/kafka';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { TrackingController } from './tracking.controller.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `tracking_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
const controller = new TrackingController(new BlockWriter(client));

beforeAll(async () => {
  await migrate(config, await readMigrations('tracking', new URL('../migrations/', import.meta.url)));
});
afterAll(() => client.close());

function identifies(block: Pick<Block, 'id' | 'replay'>, first: number, count: number): Block {
  const now = new Date().toISOString();
  const messages = Array.from({ length: count }, (_, i) => ({
    key: null,
    value: Buffer.from(
      JSON.stringify({
        source_id: 'TestSource12',
        request_id: randomUUID(),
        received_at: now,
        message_id: randomUUID(),
        user_id: `user-${first + i}`,
        timestamp: now,
        traits: { plan: 'pro', seats: i },
      }),
    ),
    headers: { [header.contract]: identifyTopic.contract },
    offset: String(first + i),
    timestamp: '1700000000012',
  }));
  return { ...block, topic: identifyTopic.name, partition: 3, messages };
}

async function count(query: string): Promise<number> {
  const result = await client.query({ query: `SELECT toUInt32(count()) AS n FROM ${query}`, format: 'JSONEachRow' });
  const [row] = await result.json<{ n: number }>();
  return row?.n ?? 0;
}

it('a replay fills users from a block that ClickHouse had stored only in identifies when it crashed', async () => {
  await controller.storeIdentifies(identifies({ id: 'whole', replay: false }, 0, 2));
  const block = identifies({ id: 'half', replay: false }, 2, 3);
  // Simulate a crash between the table and its view: store a block while the view is missing.
  const [view] = await (
    await client.query({
      query:
        "SELECT create_table_query AS sql FROM system.tables WHERE name = 'users_from_identifies'" +
        ' AND database = currentDatabase()',
      format: 'JSONEachRow',
    })
  ).json<{ sql: string }>();
  await client.command({ query: 'DROP VIEW users_from_identifies SYNC' });
  await controller.storeIdentifies(block);
  await client.command({ query: view?.sql ?? '' });
  expect(await count('users FINAL')).toBe(4);

  for (let times = 0; times < 2; times++) await controller.storeIdentifies({ ...block, replay: true });

  expect(await count('identifies')).toBe(5);
  expect(await count('users FINAL')).toBe(10);
  expect(await count("users FINAL WHERE user_id = 'user-4' AND trait = 'seats' AND value = '2'")).toBe(1);
});
