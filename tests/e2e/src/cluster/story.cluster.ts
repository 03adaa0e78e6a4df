import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClickHouse, onCluster, shardDatabase } from '@sluice/clickhouse';
import {
  eventually,
  removeReplacedPartsAtOnce,
  type RunningKafka,
  runOperator,
  type ServerProcess,
  startKafka,
} from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTracking } from '../faults/consumer-process.js';
import { startGatewayProcess } from '../gateway-process.js';
import { withCopies } from '../shards/shard-bed.js';
import { type StreamLoad } from '../load/stream-load.js';
import { createShardLoad, shardEvents, shardIdentifies } from '../shards/shard-streams.js';
import { type SourceCredentials } from '../stack.js';
import { ReplicaBed } from './replica-bed.js';

// Migrates and fills two shards of two replicas. Needs built apps. Starts Kafka unless CLUSTER_KAFKA_BROKERS is set.

const bed = new ReplicaBed();
const { cluster, database } = bed;
const shards = [...cluster.shards];
const instances: ServerProcess[] = [];
let folder: string;
let kafka: RunningKafka | undefined;
let brokers: string[];
let load: StreamLoad;
let settings: Record<string, string>;

async function operator<T>(...args: string[]): Promise<T> {
  const { stdout } = await runOperator([...args, '--json'], settings);
  return JSON.parse(stdout) as T;
}
const migrate = () => operator<{ migrations: string[] }>('migrate');

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
      try {
        await client.command({ query: onCluster(withoutComments(statement ?? ''), cluster.name) });
      } finally {
        await client.close();
      }
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
  const externalBrokers = process.env['CLUSTER_KAFKA_BROKERS'];
  kafka = externalBrokers ? undefined : await startKafka({ dataDir: join(folder, 'kafka') });
  brokers = externalBrokers?.split(',') ?? kafka?.brokers ?? [];
  settings = {
    KAFKA_BROKERS: brokers.join(','),
    CLICKHOUSE_URL: bed.urls[0] ?? '',
    CLICKHOUSE_DATABASE: database,
    CLICKHOUSE_CLUSTER: cluster.name,
    CLICKHOUSE_DURABILITY: 'quorum',
    TOPIC_PARTITIONS: '6',
    PRIVACY_KEY: 'a secret of the cluster, long enough',
    PRIVACY_VERIFY_AFTER_SECONDS: '2',
    CLICKHOUSE_SHARDS: shards.map(([name, [url = '']]) => `${name}=${url}`).join(','),
  };
  load = createShardLoad(brokers);
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
  await load.start();
  load.resume(0.4);
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
  console.log({ events: load.acknowledgedCount(shardEvents), identifies: load.acknowledgedCount(shardIdentifies) });
});

it('erases a person from every replica of both shards', async () => {
  const places = [`${shardDatabase(database)}.events`, `${database}.identifies`, `${database}.users`];
  for (const url of shards.flatMap(([, urls]) => urls))
    await removeReplacedPartsAtOnce({ command: ({ query }) => bed.command(url, query) }, places);
  const { KAFKA_BROKERS = '', PRIVACY_KEY = '' } = settings;
  const gateway = await startGatewayProcess({ KAFKA_BROKERS, PRIVACY_KEY, TOPIC_PARTITIONS: '6' });
  const source = await operator<SourceCredentials>('sources', 'create', '--name', 'Erasure', '--type', 'tracking-api');
  const send = async (call: string, body: object): Promise<void> => {
    const answer = await fetch(`${gateway.url}/api/tracker/sdk/${source.sourceIdentifier}/${call}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${source.apiKey}` },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(200);
  };
  // The events of a device lie on the shard of its partition: twelve devices are on both.
  await eventually(() => send('track', { userId: 'ready', event: 'seen' }));
  for (let device = 0; device < 12; device += 1) {
    await send('track', { anonymousId: `erased-${device}`, event: 'seen' });
    await send('identify', { userId: 'erased', anonymousId: `erased-${device}`, traits: { city: 'Shiraz' } });
  }
  const rows = (table: string, urls: readonly (string | undefined)[]): Promise<number[]> =>
    Promise.all(
      urls.map(async (url) => {
        const query = `SELECT count() AS n FROM ${table} WHERE user_id = 'erased' OR startsWith(anonymous_id, 'erased-')`;
        return Number((await bed.select<{ n: string }>(url, query))[0]?.n);
      }),
    );
  const replicas = [0, 1].map((replica) => shards.map(([, urls]) => urls[replica]));
  await eventually(async () => {
    for (const urls of replicas) {
      const events = await rows(`${shardDatabase(database)}.events`, urls);
      expect(events.reduce((sum, count) => sum + count, 0)).toBe(12);
      expect(Math.min(...events)).toBeGreaterThan(0);
    }
  }, 60_000);

  const personOptions = ['--source', source.sourceIdentifier, '--user', 'erased', '--by', 'test'];
  const processes = ['--gateway', `${gateway.managementUrl}/metrics`];
  const { erasures } = await operator<{ erasures: { state: string }[] }>(
    ...['privacy', 'erase', ...personOptions, ...processes, '--now', '--yes'],
  );
  expect(erasures).toMatchObject([{ state: 'waiting' }]);
  for (const place of places)
    for (const urls of replicas) expect([place, await rows(place, urls)]).toEqual([place, urls.map(() => 0)]);
  await gateway.stop();
});

async function untilEachReplicaHasAll(): Promise<void> {
  for (const replica of [0, 1]) {
    const events: string[] = [];
    for (const [name, urls] of shards) {
      events.push(...(await readIds(urls[replica], `${shardDatabase(database)}.events`)));
      expectOnce(`identifies of ${name}`, await readIds(urls[replica], 'identifies'), load.ids(shardIdentifies));
    }
    expectOnce('events', events, load.ids(shardEvents));
  }
}

function expectOnce(subject: string, ids: readonly string[], sent: ReadonlySet<string>): void {
  const unique = new Set(ids);
  const lost = [...sent].filter((id) => !unique.has(id)).length;
  expect({ lost, doubled: ids.length - unique.size }, subject).toEqual({ lost: 0, doubled: 0 });
}

async function readIds(url: string | undefined, table: string): Promise<string[]> {
  await bed.command(url, `SYSTEM SYNC REPLICA ${table} LIGHTWEIGHT`);
  return (await bed.select<{ id: string }>(url, `SELECT toString(message_id) AS id FROM ${table}`)).map(({ id }) => id);
}

const withoutComments = (sql: string): string => sql.replace(/^\s*--.*$/gm, '').trim();
