import { Registry } from '@sluice/service';
import { freePort } from '@sluice/testing';
import { afterAll, afterEach, beforeEach, expect, inject, it } from 'vitest';
import { createClickHouse } from '../connection/client.js';
import { type Row } from '../rows/encode-rows.js';
import { InsertMetrics } from './insert-metrics.js';
import { ShardedWriter } from './sharded-writer.js';

// Shard a is the embedded server; nothing listens at the address of shard b.

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: 'named',
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const direct = createClickHouse(config, 'default');
let writer: ShardedWriter;
let registry: Registry;

beforeEach(async () => {
  for (const table of ['named.users', 'named_shard.events']) {
    await direct.command({ query: `CREATE DATABASE IF NOT EXISTS ${table.split('.')[0]}` });
    await direct.command({
      query: `CREATE OR REPLACE TABLE ${table} (n UInt32, kafka_partition UInt16, kafka_offset UInt64, kafka_timestamp DateTime64(3))
              ENGINE = MergeTree ORDER BY n SETTINGS non_replicated_deduplication_window = 100`,
    });
  }
  registry = new Registry();
  const urls = new Map([
    ['a', config.CLICKHOUSE_URL],
    ['b', `http://127.0.0.1:${await freePort()}`],
  ]);
  writer = new ShardedWriter(config, urls, new InsertMetrics(registry));
});
afterEach(async () => {
  await writer.close();
  for (const database of ['named', 'named_shard']) await direct.command({ query: `DROP DATABASE ${database}` });
});
afterAll(() => direct.close());

const row: Row = { value: Buffer.from('{"n":1}'), offset: '0', timestamp: '1700000000000' };
const aBlock = (shard: string, mayLieOn: string[]) => ({
  id: 't:0:0-0@1700000000000',
  partition: 0,
  rows: [row],
  replay: false,
  possibleRepeats: [],
  shard,
  mayLieOn,
  allShards: ['a', 'b'],
});

async function failures(): Promise<unknown[]> {
  const metric = await registry.getSingleMetric('sluice_clickhouse_insert_failures_total')?.get();
  return (metric?.values ?? []).map(({ labels }) => labels);
}

it('names the shard in the failure of a table that every shard has, and in its count', async () => {
  await expect(writer.insert('users', aBlock('a', ['a']))).rejects.toMatchObject({ code: 'ECONNREFUSED', shard: 'b' });
  expect(await failures()).toEqual([{ table: 'users', code: 'ECONNREFUSED', kind: 'server', shard: 'b' }]);
});

it('names the shard of a block', async () => {
  await expect(writer.append('events', aBlock('b', ['b']))).rejects.toMatchObject({ code: 'ECONNREFUSED', shard: 'b' });
  expect(await failures()).toEqual([{ table: 'events', code: 'ECONNREFUSED', kind: 'server', shard: 'b' }]);
});

it('names the shard that does not answer a look-up, though another one stores the block', async () => {
  const block = { ...aBlock('a', ['a', 'b']), replay: true };
  await expect(writer.append('events', block)).rejects.toMatchObject({ code: 'ECONNREFUSED', shard: 'b' });
  expect(await failures()).toEqual([]);
});

it('names a shard that this process does not know', async () => {
  await expect(writer.append('events', aBlock('c', ['c']))).rejects.toMatchObject({
    code: 'UNKNOWN_SHARD',
    shard: 'c',
  });
});
