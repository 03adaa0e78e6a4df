import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { migrate, readMigrations } from '@sluice/clickhouse';
import { type ClickHouseUser } from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ShardServers } from './shard-servers.js';

// An analyst of one source (docs/tables.md) where the events lie on two shards.

const password = 'secret-of-a-test';
const oneSource = `source_id = 'one'`;
const grants = ['GRANT SELECT ON sluice.*', 'GRANT SELECT ON sluice_shard.*'];
const users: ClickHouseUser[] = [
  { name: 'analyst', password, grants, filters: { 'sluice_shard.events': oneSource } },
  { name: 'by_name_only', password, grants, filters: { 'sluice.events': oneSource } },
  { name: 'without_right', password, grants: grants.slice(0, 1) },
];

let folder: string;
let servers: ShardServers;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-policies-'));
  servers = new ShardServers(folder, users);
  await servers.add();
  await servers.add();
  await servers.announceAll();
  const migrations = await readMigrations(
    'tracking',
    new URL('../../../../apps/tracking/migrations/', import.meta.url),
  );
  const shards = new Map(servers.names.map((name) => [name, servers.url(name)]));
  for (const [name, CLICKHOUSE_URL] of shards) {
    const config = {
      CLICKHOUSE_URL,
      CLICKHOUSE_DATABASE: 'sluice',
      CLICKHOUSE_USER: 'default',
      CLICKHOUSE_PASSWORD: '',
    };
    await migrate({ ...config, CLICKHOUSE_SHARDS: shards, CLICKHOUSE_SHARDS_CLUSTER: 'shards' }, migrations);
    await servers.command(
      name,
      `INSERT INTO sluice_shard.events (source_id, event, message_id, timestamp, received_at, properties, context)
       SELECT ['one', 'two'][1 + number % 2], 'e', generateUUIDv4(), now64(3), now64(3), '{}', '{}' FROM numbers(10)`,
    );
  }
}, 120_000);
afterAll(async () => {
  await servers.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

/** Rows by source, as a user sees them on the first server. */
async function seenBy(username: string, from: string): Promise<Record<string, number>> {
  const server = { url: servers.url('a'), database: 'sluice', log: { level: ClickHouseLogLevel.OFF } };
  const client = createClient({ ...server, username, password });
  try {
    const query = `SELECT source_id, ${from === 'events' ? 'count()' : 'sum(events)'} AS n FROM ${from} GROUP BY source_id`;
    const rows = await (await client.query({ query, format: 'JSONEachRow' })).json<{ source_id: string; n: string }>();
    return Object.fromEntries(rows.map(({ source_id, n }) => [source_id, Number(n)]));
  } finally {
    await client.close();
  }
}

it.each(['events', 'event_counts'])(
  'sees one source in %s, on both shards, by a policy on the table of each',
  async (from) => {
    expect(await seenBy('analyst', from)).toEqual({ one: 10 });
  },
);

it('sees all sources if only `sluice.events`, which reads all shards, has a policy', async () => {
  expect(await seenBy('by_name_only', 'events')).toEqual({ one: 10, two: 10 });
});

it('sees nothing without the right to read the tables of the shards', async () => {
  await expect(seenBy('without_right', 'events')).rejects.toMatchObject({ type: 'ACCESS_DENIED' });
});
