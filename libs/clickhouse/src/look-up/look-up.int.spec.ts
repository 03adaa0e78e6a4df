import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type {} from '@sluice/testing'; // types of `inject`
import { afterEach, expect, inject, it } from 'vitest';
import { createClickHouse } from '../connection/client.js';
import { lookUpOnCluster } from './look-up.js';
import { refillView } from '../write/refill-view.js';

/** Requests that reached ClickHouse: the replica that answered, and the first words of the query. */
let queries: string[];
let balancer: Server;

/**
 * A load balancer: requests go to replicas in the order of `turns`. All replicas are the embedded server; SYSTEM SYNC,
 * which it does not know, is answered here.
 */
async function balance(turns: string[]): Promise<string> {
  queries = [];
  balancer = createServer((incoming, outgoing) => {
    void text(incoming).then((query) => {
      const replica = turns[queries.length % turns.length] ?? '';
      queries.push(`${replica}: ${query.trim().split(' ', 2).join(' ')}`);
      outgoing.setHeader('x-clickhouse-server-display-name', replica);
      if (query.startsWith('SYSTEM')) return outgoing.end();
      const { host } = new URL(inject('clickhouseUrl'));
      const [hostname, port] = host.split(':');
      const { method, url, headers } = incoming;
      const upstream = request({ hostname, port, method, path: url, headers }, (answer) => answer.pipe(outgoing));
      return upstream.end(query);
    });
  }).listen(0, '127.0.0.1');
  await once(balancer, 'listening');
  return `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`;
}
afterEach(() => {
  balancer.close();
});

const clientAt = (url: string): ReturnType<typeof createClickHouse> =>
  createClickHouse({
    CLICKHOUSE_URL: url,
    CLICKHOUSE_DATABASE: 'default',
    CLICKHOUSE_USER: 'default',
    CLICKHOUSE_PASSWORD: '',
  });

async function lookUp(url: string): Promise<unknown> {
  const client = clientAt(url);
  try {
    return await lookUpOnCluster(client)('events', 'SELECT 1 AS n');
  } finally {
    await client.close();
  }
}

it('queries the replica that has fetched everything', async () => {
  expect(await lookUp(await balance(['a']))).toEqual([{ n: 1 }]);
  expect(queries).toEqual(['a: SYSTEM SYNC', 'a: SELECT 1']);
});

it('queries again when the answer came from a replica other than the synced one', async () => {
  expect(await lookUp(await balance(['a', 'b', 'b', 'b']))).toEqual([{ n: 1 }]);
  expect(queries).toEqual(['a: SYSTEM SYNC', 'b: SELECT 1', 'b: SYSTEM SYNC', 'b: SELECT 1']);
});

it('fails when the sync and the query never reach the same replica', async () => {
  await expect(lookUp(await balance(['a', 'b']))).rejects.toThrow('no two requests reached the same replica');
});

it('refills a view on a synced replica, and again when another replica took the refill', async () => {
  const columns = 'kafka_partition UInt16, kafka_offset UInt64, kafka_timestamp DateTime64(3)';
  const direct = clientAt(inject('clickhouseUrl'));
  const client = clientAt(await balance(['a', 'a', 'b', 'b', 'b']));
  try {
    for (const query of [
      `CREATE TABLE refill_source (${columns}) ENGINE = MergeTree ORDER BY kafka_offset`,
      `CREATE TABLE refill_target (${columns}) ENGINE = ReplacingMergeTree ORDER BY kafka_offset`,
      'INSERT INTO refill_source VALUES (0, 1, 0), (0, 2, 0), (0, 3, 0)',
      'CREATE MATERIALIZED VIEW refill_view TO refill_target AS SELECT * FROM refill_source',
    ])
      await direct.command({ query });
    const rows = ['1', '2'].map((offset) => ({ offset, value: Buffer.alloc(0), timestamp: '0' }));

    const view = { source: 'refill_source', name: 'refill_view', target: 'refill_target', isOnCluster: true };
    await refillView(client, view, { id: 'id', partition: 0, rows });

    expect(queries).toEqual([
      'a: SELECT as_select',
      'a: SYSTEM SYNC',
      'b: INSERT INTO',
      'b: SYSTEM SYNC',
      'b: INSERT INTO',
    ]);
    const result = await direct.query({
      query: 'SELECT toUInt32(kafka_offset) AS stored FROM refill_target FINAL ORDER BY stored',
      format: 'JSONEachRow',
    });
    expect(await result.json()).toEqual([{ stored: 1 }, { stored: 2 }]);
  } finally {
    for (const name of ['view', 'target', 'source'])
      await direct.command({ query: `DROP TABLE IF EXISTS refill_${name}` });
    await Promise.all([direct.close(), client.close()]);
  }
});
