import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { FinalError } from '@sluice/contracts';
import type {} from '@sluice/testing'; // what `inject` knows
import { afterAll, afterEach, beforeEach, expect, inject, it, vi } from 'vitest';
import { BlockWriter } from './block-writer.js';
import { createClickHouse } from './client.js';
import { type Row } from './encode-rows.js';
import { InsertError } from './insert-error.js';

const client = createClickHouse({
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: 'default',
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
});
let writer: BlockWriter;
let table: string;
const odd = 77;

afterAll(() => client.close());
afterEach(() => {
  vi.restoreAllMocks();
});
beforeEach(async () => {
  writer = new BlockWriter(client);
  table = `refused_${randomUUID().replaceAll('-', '')}`;
  await client.command({
    query: `CREATE TABLE ${table} (n UInt32, kafka_partition UInt16, kafka_offset UInt64, kafka_timestamp DateTime64(3, 'UTC'),
              no_odd UInt8 MATERIALIZED throwIf(n = ${odd}))
            ENGINE = MergeTree PARTITION BY intDiv(n, 1000) ORDER BY n SETTINGS non_replicated_deduplication_window = 100`,
  });
});

const aRow = (offset: number, n: number | string = offset): Row => ({
  value: Buffer.from(JSON.stringify({ n })),
  offset: String(offset),
  timestamp: '1700000000012',
});
const appended = (id: string, rows: readonly Row[], replay = true) => ({
  id,
  partition: 0,
  rows,
  replay,
  possibleRepeats: [],
});
async function offsets(of = table): Promise<number[]> {
  const result = await client.query({
    query: `SELECT toUInt32(kafka_offset) AS o FROM ${of} ORDER BY o`,
    format: 'JSONEachRow',
  });
  return (await result.json<{ o: number }>()).map(({ o }) => o);
}

/** Stores a block, cutting it in halves as the block protocol does; returns the offsets that were given up. */
async function storeInHalves(
  store: (rows: readonly Row[]) => Promise<unknown>,
  rows: readonly Row[],
): Promise<string[]> {
  for (;;) {
    try {
      await store(rows);
      return [];
    } catch (error) {
      if (error instanceof InsertError) {
        await sleep(10);
        continue;
      }
      if (!(error instanceof FinalError)) throw error;
      if (rows.length === 1) return rows.map(({ offset }) => offset);
      const middle = rows.length >> 1;
      const first = await storeInHalves(store, rows.slice(0, middle));
      return [...first, ...(await storeInHalves(store, rows.slice(middle)))];
    }
  }
}

/** Makes the clock of the waiting times run fifty times as fast. */
function hurry(): void {
  const now = performance.now.bind(performance);
  const start = now();
  vi.spyOn(performance, 'now').mockImplementation(() => start + (now() - start) * 50);
}

it('gives up a readable row that fails every INSERT, and stores all others of its block', async () => {
  await writer.append(table, appended('before', [aRow(1)], false));
  hurry();
  const rows = Array.from({ length: 200 }, (_, i) => aRow(10 + i));
  rows[50] = aRow(60, odd);
  rows[130] = aRow(140, odd);

  const store = (some: readonly Row[]) => writer.append(table, appended(`${some[0]?.offset}-${some.length}`, some));
  expect(
    await storeInHalves(
      store,
      rows.filter(({ offset }) => offset !== '77'),
    ),
  ).toEqual(['60', '140']);
  const good = Array.from({ length: 200 }, (_, i) => 10 + i).filter((n) => ![60, 77, 140].includes(n));
  expect(await offsets()).toEqual([1, ...good]);
});

it('refuses an unreadable row in the same block as a row that fails every INSERT', async () => {
  await writer.append(table, appended('before', [aRow(1)], false));
  hurry();
  const refused: string[] = [];
  const store = async (rows: readonly Row[]): Promise<void> => {
    const some = await writer.append(table, appended(`${rows[0]?.offset}-${rows.length}`, rows));
    refused.push(...some.map(({ message }) => message.offset));
  };
  expect(await storeInHalves(store, [aRow(2), aRow(3, 'three'), aRow(4, odd), aRow(5)])).toEqual(['4']);
  expect(refused).toEqual(['3']);
  expect(await offsets()).toEqual([1, 2, 5]);
});

it('cuts a block that spans too many table partitions, and gives up none of its rows', async () => {
  await writer.append(table, appended('before', [aRow(1)], false));
  const rows = Array.from({ length: 240 }, (_, i) => aRow(2 + i, i * 1_000));

  const store = (some: readonly Row[]) => writer.append(table, appended(`${some[0]?.offset}-${some.length}`, some));
  expect(await storeInHalves(store, rows)).toEqual([]);
  expect(await offsets()).toHaveLength(241);
});

it('gives up no row while the table is missing', async () => {
  await writer.append(table, appended('before', [aRow(1)], false));
  await client.command({ query: `RENAME TABLE ${table} TO ${table}_away` });
  hurry();
  for (let n = 0; n < 20; n++)
    await expect(writer.append(table, appended('waiting', [aRow(2)], false))).rejects.toBeInstanceOf(InsertError);
});

it('stores the lost rows of a replay although ClickHouse remembers its id', async () => {
  const rows = [aRow(1), aRow(2), aRow(3)];
  await writer.append(table, appended('block', rows, false));
  // The token stays, as after a crash of ClickHouse during the INSERT.
  await client.command({ query: `DELETE FROM ${table} WHERE kafka_offset > 1` });
  expect(await offsets()).toEqual([1]);

  await writer.append(table, appended('block', rows));
  await writer.append(table, appended('block', rows));
  expect(await offsets()).toEqual([1, 2, 3]);
});

it('stores the lost rows of a replay in a merging table, where a newer row has replaced one of them', async () => {
  const merging = `${table}_merging`;
  await client.command({
    query: `CREATE TABLE ${merging} AS ${table} ENGINE = ReplacingMergeTree(kafka_offset) ORDER BY n
            SETTINGS non_replicated_deduplication_window = 100`,
  });
  const block = { id: 'block', partition: 0, rows: [aRow(1), aRow(2), aRow(3)] };
  await writer.insert(merging, block);
  await writer.insert(merging, { id: 'newer', partition: 0, rows: [aRow(9, 1)] });
  await client.command({ query: `DELETE FROM ${merging} WHERE kafka_offset = 3` });
  await client.command({ query: `OPTIMIZE TABLE ${merging} FINAL` });
  expect(await offsets(merging)).toEqual([2, 9]);

  await writer.insert(merging, { ...block, replay: true });
  await writer.insert(merging, { ...block, replay: true });
  expect(await offsets(`${merging} FINAL`)).toEqual([2, 3, 9]);
});

it('gives up a row that the view of its table refuses, and brings the others to the target', async () => {
  const [view, target] = [`${table}_view`, `${table}_target`];
  await client.command({ query: `CREATE TABLE ${target} AS ${table} ENGINE = ReplacingMergeTree ORDER BY n` });
  await client.command({
    query: `CREATE MATERIALIZED VIEW ${view} TO ${target} AS
            SELECT n + throwIf(n = 5) AS n, kafka_partition, kafka_offset, kafka_timestamp FROM ${table}`,
  });
  await writer.append(table, appended('before', [aRow(1)], false));
  hurry();
  let isReplay = false;
  const store = async (some: readonly Row[]): Promise<void> => {
    const block = appended(`${some[0]?.offset}-${some.length}`, some, isReplay);
    isReplay = true;
    await writer.appendWithView(table, { name: view, target }, block);
  };
  const rows = Array.from({ length: 8 }, (_, i) => aRow(2 + i));
  expect(await storeInHalves(store, rows)).toEqual(['5']);
  expect(await offsets()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(await offsets(`${target} FINAL`)).toEqual([1, 2, 3, 4, 6, 7, 8, 9]);
});
