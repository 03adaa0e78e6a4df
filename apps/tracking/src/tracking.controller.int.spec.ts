import { randomUUID } from 'node:crypto';
import { BlockWriter, createClickHouse, migrate, readMigrations } from '@sluice/clickhouse';
import { canaryEvent, canarySource, canaryTopic, header, identifyTopic, trackTopic } from '@sluice/contracts';
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

/** A block of events with a probe between them. */
function eventsAndProbe(block: Pick<Block, 'id' | 'replay'>, first: number): Block {
  const now = new Date().toISOString();
  const messages = [trackTopic.contract, canaryTopic.contract, trackTopic.contract].map((contract, index) => {
    const isProbe = contract === canaryTopic.contract;
    const row = {
      ...{ source_id: isProbe ? canarySource : 'TestSource12', request_id: randomUUID(), received_at: now },
      ...{ message_id: randomUUID(), event: isProbe ? canaryEvent : 'e', anonymous_id: 'a', timestamp: now },
      properties: { series: 'one', number: first + index },
    };
    return {
      ...{ key: null, value: Buffer.from(JSON.stringify(row)), headers: { [header.contract]: contract } },
      ...{ offset: String(first + index), timestamp: '1700000000012' },
    };
  });
  return { ...block, topic: trackTopic.name, partition: 5, messages };
}

it('stores a probe once in its own table, and events also while that table is missing', async () => {
  const block = eventsAndProbe({ id: 'probed', replay: false }, 0);
  expect(await controller.storeEvents(block)).toEqual([]);
  expect(await controller.storeEvents({ ...block, replay: true })).toEqual([]);
  expect([await count('events'), await count("canary_probes WHERE series = 'one' AND number = 1")]).toEqual([2, 1]);

  await client.command({ query: 'RENAME TABLE canary_probes TO renamed_probes' });
  try {
    const next = eventsAndProbe({ id: 'without', replay: false }, 10);
    expect(await controller.storeEvents(next)).toEqual([
      { message: next.messages[1], reason: 'canary_probes does not take probes: UNKNOWN_TABLE' },
    ]);
    expect(await count('events')).toBe(4);
  } finally {
    await client.command({ query: 'RENAME TABLE renamed_probes TO canary_probes' });
  }
});
