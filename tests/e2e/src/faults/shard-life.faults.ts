import { eventually } from '@sluice/testing';
import { createClient } from '@clickhouse/client';
import { adRequestTopic, trackTopic } from '@sluice/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ConsumerView } from '../shards/consumer-view.js';
import { GuardedShards } from '../shards/guarded-shards.js';

// The part of docs/operations.md about several shards, step by step, with the rights of docs/rights.md and no others.
// Runs the built apps (npm run build).

const persons = 100;
/** Tables that do not get a row for each person. They are compared between shards, but not counted. */
const ofNobody = new Set(['operator_actions', 'refused_messages', 'refused_requests']);
const sharded = { events: trackTopic, ad_requests: adRequestTopic } as const;

// One story: each test goes on where the one before ended.
let life: GuardedShards;
beforeAll(async () => {
  life = await GuardedShards.start();
  await life.operator('migrate');
  await life.startGateway();
  await life.startConsumers();
  await life.send(persons);
}, 240_000);
afterAll(() => life.stop(), 120_000);

const query = <Row>(shard: string, text: string): Promise<Row[]> => life.servers.select<Row>(shard, text);

/** Positions in Kafka of a table's rows: raw ones, or `merged` with FINAL. */
async function placesIn(shard: string, table: string, merged = ''): Promise<string[]> {
  const place = `concat(toString(kafka_partition), ':', toString(kafka_offset), '@', toString(kafka_timestamp))`;
  return (await query<{ place: string }>(shard, `SELECT ${place} AS place FROM ${table} ${merged} ORDER BY place`)).map(
    (row) => row.place,
  );
}

async function countMessages(topic: string): Promise<number> {
  const admin = life.admin.admin();
  await admin.connect();
  try {
    const ends = await admin.fetchTopicOffsets(topic);
    return ends.reduce((sum, { low, high }) => sum + Number(high) - Number(low), 0);
  } finally {
    await admin.disconnect();
  }
}

/** Tables of the database `sluice` that hold rows of messages themselves: they are whole on every shard. */
async function wholeTables(): Promise<string[]> {
  const tables = await query<{ name: string }>(
    'a',
    `SELECT name FROM system.tables WHERE database = 'sluice' AND engine LIKE '%MergeTree'
     AND name IN (SELECT table FROM system.columns WHERE database = 'sluice' AND name = 'kafka_partition') ORDER BY name`,
  );
  return tables.map(({ name }) => name);
}

/** Waits until every message of the sharded topics is a row of one shard, and every other table has each person's row on all. */
async function untilWhereTheyMustBe(): Promise<Record<string, Record<string, number>>> {
  return eventually(async () => {
    const { names } = life.servers;
    const counts: Record<string, Record<string, number>> = {};
    for (const [table, topic] of Object.entries(sharded)) {
      const perShard = await Promise.all(names.map((name) => placesIn(name, `sluice_shard.${table}`)));
      expect(perShard.flat(), table).toHaveLength(await countMessages(topic.name));
      expect(new Set(perShard.flat()).size, table).toBe(perShard.flat().length);
      counts[table] = Object.fromEntries(names.map((name, i) => [name, perShard[i]?.length ?? 0]));
    }
    for (const table of await wholeTables()) {
      const [first, ...otherPlaces] = await Promise.all(names.map((name) => placesIn(name, table, 'FINAL')));
      for (const shardPlaces of otherPlaces) expect(shardPlaces, table).toEqual(first);
      if (ofNobody.has(table)) continue;
      expect(first, table).toHaveLength(life.sent);
      counts[table] = Object.fromEntries(names.map((name) => [name, first?.length ?? 0]));
    }
    return counts;
  }, 90_000);
}

async function untilMapIs(version: number): Promise<void> {
  await eventually(async () => {
    for (const consumer of life.consumers) {
      const [mapVersion] = await new ConsumerView(consumer).series('sluice_consumer_shard_map_version');
      expect(mapVersion?.value).toBe(version);
    }
  }, 90_000);
}

it('one server becomes two shards by the steps of the page', async () => {
  await eventually(async () => {
    expect(await placesIn('a', 'events')).toHaveLength(await countMessages(trackTopic.name));
  }, 90_000);
  await life.servers.add();
  await life.servers.announceAll();
  life.isSharded = true;
  await expect(life.operator('migrate')).rejects.toThrow('stop the consumers first');
  await life.stopConsumers();
  await life.send(persons);
  const plan = await life.operator('migrate', '--plan');
  console.log(plan);
  expect(plan).toMatch(/\bb\b/);
  await life.operator('migrate');
  await life.startConsumers();
  await untilMapIs(1);
  await life.send(persons);
  const counts = await untilWhereTheyMustBe();
  console.log(counts);
  for (const table of Object.keys(sharded)) {
    expect(counts[table]?.['a'], table).toBeGreaterThan(0);
    expect(counts[table]?.['b'], table).toBeGreaterThan(0);
  }
  expect(Object.keys(counts)).toEqual(expect.arrayContaining(['identifies', 'users', 'sellers', 'push_interactions']));
}, 240_000);

it('readers see all shards', async () => {
  const client = createClient({
    url: life.servers.url('a'),
    username: 'console',
    password: 'secret-of-a-test',
    database: 'sluice',
  });
  try {
    const answer = await client.query({ query: 'SELECT count() AS n FROM events', format: 'JSONEachRow' });
    const [row] = await answer.json<{ n: string }>();
    expect(Number(row?.n)).toBe(await countMessages(trackTopic.name));
  } finally {
    await client.close();
  }
  await life.operator('status');
}, 60_000);

it('a drained shard gets no more events and goes on getting the whole tables', async () => {
  life.drained = 'b';
  await life.operator('migrate');
  await untilMapIs(2);
  const before = await untilWhereTheyMustBe();
  await life.send(persons);
  const after = await untilWhereTheyMustBe();
  console.log(after);
  for (const table of Object.keys(sharded)) expect(after[table]?.['b'], table).toBe(before[table]?.['b']);
  expect(after['identifies']?.['b']).toBe((before['identifies']?.['b'] ?? 0) + persons);
}, 240_000);

it('each shard is restored from its backup, and the offsets are set back: every message once', async () => {
  const { names } = life.servers;
  const databases = ['sluice_shard', 'sluice'];
  const backupAt = Date.now();
  for (const name of names)
    for (const database of databases)
      await life.servers.command(name, `BACKUP DATABASE ${database} TO File('${database}-nightly')`);
  await life.send(persons);
  const before = await untilWhereTheyMustBe();
  await life.stopConsumers();
  for (const name of names) {
    for (const database of databases) await life.servers.command(name, `DROP DATABASE ${database} SYNC`);
    for (const database of databases)
      await life.servers.command(name, `RESTORE DATABASE ${database} FROM File('${database}-nightly')`);
  }
  expect((await placesIn('a', 'sluice_shard.events')).length).toBeLessThan(before['events']?.['a'] ?? 0);
  await life.setBack(backupAt - 2_000);
  await life.startConsumers();
  expect(await untilWhereTheyMustBe()).toEqual(before);
}, 240_000);

it('the rows of a drained shard move to another, and it may go 31 days after it was drained', async () => {
  const { servers } = life;
  await life.stopConsumers();
  const places = await placesIn('a', 'events');
  for (const table of Object.keys(sharded)) {
    const from = `remote('${servers.tcpAddress('b')}', sluice_shard.${table})`;
    await servers.command('a', `INSERT INTO sluice_shard.${table} SELECT * FROM ${from}`);
    // Stands for taking b out of the cluster through which the others read.
    await servers.command('b', `TRUNCATE TABLE sluice_shard.${table}`);
  }
  expect(await placesIn('a', 'events')).toEqual(places);
  await life.startConsumers();
  await life.send(persons);
  const counts = await untilWhereTheyMustBe();
  expect([counts['events']?.['b'], counts['ad_requests']?.['b']]).toEqual([0, 0]);
  life.shardsLeftOut = ['b'];
  await expect(life.operator('migrate')).rejects.toThrow(/shard b may hold rows that are looked up until \d{4}-/);
  expect(await life.refusals()).toEqual([]);
}, 240_000);
