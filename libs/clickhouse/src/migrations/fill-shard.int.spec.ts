import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, afterEach, beforeEach, expect, inject, it } from 'vitest';
import { createClickHouse } from '../connection/client.js';
import { fillShard } from './fill-shard.js';

// npm has no server with replicas, so databases of the embedded one stand for replicas behind a balancer.
// `fill_lagging` has fetched only some rows until SYSTEM SYNC REPLICA is sent to it.

const url = inject('clickhouseUrl');
const databases = ['fill_first', 'fill_lagging', 'fill_new'];
const fetched = 40;
const stored = 100;
const balancers: Server[] = [];
/** Settings of the INSERTs that reached a balancer. */
let inserts: URLSearchParams[];
let isSynced: boolean;

const config = {
  CLICKHOUSE_URL: url,
  CLICKHOUSE_DATABASE: 'fill',
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const direct = createClickHouse(config, 'default');

beforeEach(async () => {
  [inserts, isSynced] = [[], false];
  for (const database of databases) {
    await direct.command({ query: `DROP DATABASE IF EXISTS ${database}` });
    await direct.command({ query: `CREATE DATABASE ${database}` });
    for (const table of ['users', 'schema_migrations', 'events'])
      await direct.command({
        query: `CREATE TABLE ${database}.${table} (id UInt32, name String DEFAULT concat('u', toString(id)), twice UInt32 ALIAS id * 2)
                ENGINE = ReplacingMergeTree ORDER BY id`,
      });
  }
  await direct.command({ query: `INSERT INTO fill_first.users (id) SELECT number FROM numbers(${stored})` });
  await direct.command({ query: `INSERT INTO fill_first.events (id) SELECT number FROM numbers(${stored})` });
  await direct.command({ query: `INSERT INTO fill_lagging.users (id) SELECT number FROM numbers(${fetched})` });
  await direct.command({ query: 'INSERT INTO fill_new.users (id) VALUES (1000000)' });
});
afterEach(async () => {
  for (const balancer of balancers.splice(0)) balancer.close();
  for (const database of databases) await direct.command({ query: `DROP DATABASE IF EXISTS ${database}` });
});

afterAll(() => direct.close());

/** A load balancer that gives requests to the replicas in turn. */
async function balance(...replicas: string[]): Promise<string> {
  let turn = 0;
  const balancer = createServer((incoming, outgoing) => {
    const replica = replicas[turn++ % replicas.length] ?? '';
    void buffer(incoming).then(async (body) => {
      outgoing.setHeader('x-clickhouse-server-display-name', replica);
      if (body.toString().startsWith('SYSTEM SYNC REPLICA')) {
        if (replica === 'fill_lagging') await fetchTheRest();
        return outgoing.end();
      }
      const to = new URL(incoming.url ?? '', url);
      if (`${to.searchParams.get('query')}`.startsWith('INSERT')) inserts.push(new URLSearchParams(to.search));
      to.searchParams.set('database', replica);
      const { method, headers } = incoming;
      const upstream = request(to, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500);
        answer.pipe(outgoing);
      });
      return upstream.end(body);
    });
  }).listen(0, '127.0.0.1');
  balancers.push(balancer);
  await once(balancer, 'listening');
  return `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`;
}

async function fetchTheRest(): Promise<void> {
  if (isSynced) return;
  isSynced = true;
  await direct.command({
    query: `INSERT INTO fill_lagging.users (id) SELECT number FROM numbers(${fetched}, ${stored - fetched})`,
  });
}

const rowsOfNew = async (): Promise<unknown> => {
  const query = `SELECT count() AS rows, uniqExact(id) AS ids, max(id) AS last FROM fill_new.users`;
  return (await direct.query({ query, format: 'JSONEachRow' })).json();
};
const all = [{ rows: stored, ids: stored, last: stored - 1 }];

it('replaces the rows of the new shard in the tables that every shard has, and in no others', async () => {
  const counts = await fillShard(config, await balance('fill_first'), await balance('fill_new'));
  expect([...counts]).toEqual([['users', stored]]);
  expect(await rowsOfNew()).toEqual(all);
});

it.each([
  ['its only replica', ['fill_lagging']],
  ['one of its two replicas', ['fill_first', 'fill_lagging']],
])('copies every row of a cluster when %s lags', async (_, replicas) => {
  const onCluster = { ...config, CLICKHOUSE_CLUSTER: 'prod' };
  const source = replicas.length > 1 ? ['fill_first', ...replicas, ...replicas, 'fill_lagging'] : replicas;
  const counts = await fillShard(onCluster, await balance(...source), await balance('fill_new'));
  expect([...counts]).toEqual([['users', stored]]);
  expect(await rowsOfNew()).toEqual(all);
});

it('counts a row of a cluster as copied when most replicas have it', async () => {
  const onCluster = { ...config, CLICKHOUSE_CLUSTER: 'prod' };
  await fillShard(onCluster, await balance('fill_first'), await balance('fill_new'));
  expect(inserts.map((settings) => settings.get('insert_quorum'))).toEqual(['auto']);
});

it('fails when the copy lacks rows', async () => {
  await direct.command({ query: 'DROP TABLE fill_new.users' });
  // With this key, all rows count as copies of one.
  await direct.command({
    query: 'CREATE TABLE fill_new.users (id UInt32, name String) ENGINE = ReplacingMergeTree ORDER BY tuple()',
  });
  await expect(fillShard(config, await balance('fill_first'), await balance('fill_new'))).rejects.toThrow(
    `users: 1 of ${stored} rows were copied; migrate again`,
  );
});
