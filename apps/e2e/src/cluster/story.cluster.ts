import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClickHouse, onCluster, shardDatabase } from '@sluice/clickhouse';
import { eventually, type RunningKafka, runOperator, type ServerProcess, startKafka } from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTracking } from '../faults/consumer-process.js';
import { withCopies } from '../shards/shard-bed.js';
import { ShardLoad } from '../shards/shard-load.js';
import { ReplicaBed } from './replica-bed.js';

// Migrates and fills two shards of two replicas. Needs built apps. Starts Kafka unless CLUSTER_KAFKA_BROKERS is set.

const bed = new ReplicaBed();
const { cluster, database } = bed;
const shards = [...cluster.shards];
const instances: ServerProcess[] = [];
let folder: string;
let kafka: RunningKafka | undefined;
let brokers: string[];
let load: ShardLoad;
let settings: Record<string, string>;

async function migrate(): Promise<{ migrations: string[] }> {
  const { stdout } = await runOperator(['migrate', '--json'], settings);
  return JSON.parse(stdout) as { migrations: string[] };
}

async function prepareTables(): Promise<void> {
  for (const [table, place] of [
    ['events', shardDatabase(database)],
    ['identifies', database],
  ] as const) {
    const create = [`CREATE DATABASE IF NOT EXISTS ${place}`, await withCopies(table)];
    for (const [statement, from] of [
      [create[0], 'default'],
      [create[1], place],
    ] as const) {
      const client = createClickHouse(bed.config(), from);
      await client
        .command({ query: onCluster(withoutComments(statement ?? ''), cluster.name) })
        .finally(() => client.close());
    }
  }
}

async function consume(crashPoint = ''): Promise<ServerProcess> {
  const clickhouseUrl = bed.urls[0] ?? '';
  const instance = await startTracking({ brokers, clickhouseUrl, database, folder, settings }, crashPoint);
  instances.push(instance);
  return instance;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-cluster-'));
  const given = process.env['CLUSTER_KAFKA_BROKERS'];
  kafka = given ? undefined : await startKafka({ dataDir: join(folder, 'kafka') });
  brokers = given?.split(',') ?? kafka?.brokers ?? [];
  settings = {
    KAFKA_BROKERS: brokers.join(','),
    CLICKHOUSE_URL: bed.urls[0] ?? '',
    CLICKHOUSE_DATABASE: database,
    CLICKHOUSE_CLUSTER: cluster.name,
    CLICKHOUSE_DURABILITY: 'quorum',
    TOPIC_PARTITIONS: '6',
    CLICKHOUSE_SHARDS: shards.map(([name, [url = '']]) => `${name}=${url}`).join(','),
  };
  load = new ShardLoad(brokers);
}, 120_000);
afterAll(async () => {
  await load.stop();
  await Promise.all(instances.map((instance) => instance.stop(30_000)));
  const client = createClickHouse(bed.config(), 'default');
  await client.command({
    query: `DROP DATABASE IF EXISTS ${shardDatabase(database)} ON CLUSTER \`${cluster.name}\` SYNC`,
  });
  await client.close();
  await bed.stop();
  await kafka?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}, 120_000);

it('migrate makes the tables on every replica of every shard, and a second run changes nothing', async () => {
  await prepareTables();
  expect((await eventually(migrate, 120_000)).migrations.length).toBeGreaterThan(10);
  expect((await migrate()).migrations).toEqual([]);
  const query = `SELECT DISTINCT engine LIKE 'Replicated%' AS yes FROM system.tables
                 WHERE database IN ('${database}', '${shardDatabase(database)}') AND engine LIKE '%MergeTree'`;
  for (const url of shards.flatMap(([, urls]) => urls)) expect(await bed.select(url, query), url).toEqual([{ yes: 1 }]);
});

it('consumers are killed and Keeper is paused under load: each replica has every message once', async () => {
  await consume();
  await load.start(400);
  for (const point of ['after-intent:2', 'after-insert:3']) {
    const doomed = await consume(point);
    expect(await Promise.race([doomed.ended, sleep(60_000, 'alive')])).toBe('SIGKILL');
    await bed.whileKeeperIsPaused(() => Promise.resolve(), 9_000);
    load.repeatSome();
  }
  await consume();
  await sleep(5_000);
  await load.stop();
  await eventually(untilEachReplicaHasAll, 180_000);
  console.log({ events: load.events.size, identifies: load.identifies.size });
});

async function untilEachReplicaHasAll(): Promise<void> {
  for (const replica of [0, 1]) {
    const events: string[] = [];
    for (const [name, urls] of shards) {
      events.push(...(await idsOf(urls[replica], `${shardDatabase(database)}.events`)));
      expectOnce(`identifies of ${name}`, await idsOf(urls[replica], 'identifies'), load.identifies);
    }
    expectOnce('events', events, load.events);
  }
}

function expectOnce(what: string, ids: readonly string[], sent: ReadonlySet<string>): void {
  const unique = new Set(ids);
  const lost = [...sent].filter((id) => !unique.has(id)).length;
  expect({ lost, doubled: ids.length - unique.size }, what).toEqual({ lost: 0, doubled: 0 });
}

async function idsOf(url: string | undefined, table: string): Promise<string[]> {
  await bed.command(url, `SYSTEM SYNC REPLICA ${table} LIGHTWEIGHT`);
  return (await bed.select<{ id: string }>(url, `SELECT toString(message_id) AS id FROM ${table}`)).map(({ id }) => id);
}

const withoutComments = (sql: string): string => sql.replace(/^\s*--.*$/gm, '').trim();
