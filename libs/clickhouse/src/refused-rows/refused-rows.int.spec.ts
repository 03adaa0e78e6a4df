import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { FinalError } from '@sluice/contracts';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, afterEach, beforeEach, expect, inject, it, vi } from 'vitest';
import { BlockWriter } from '../write/block-writer.js';
import { createClickHouse } from '../connection/client.js';
import { type Row } from '../rows/encode-rows.js';
import { InsertError } from '../rows/insert-error.js';
import { type LookUp, lookUpIn, type LookUpOptions } from '../look-up/look-up.js';

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
async function offsets(fromTable = table): Promise<number[]> {
  const result = await client.query({
    query: `SELECT toUInt32(kafka_offset) AS o FROM ${fromTable} ORDER BY o`,
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
  const rows = Array.from({ length: 1_040 }, (_, i) => aRow(2 + i, i * 1_000));

  const store = (some: readonly Row[]) => writer.append(table, appended(`${some[0]?.offset}-${some.length}`, some));
  expect(await storeInHalves(store, rows)).toEqual([]);
  expect(await offsets()).toHaveLength(1_041);
});

it('gives up no row while the table is missing', async () => {
  await writer.append(table, appended('before', [aRow(1)], false));
  await client.command({ query: `RENAME TABLE ${table} TO ${table}_gone` });
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

it('stores in each of ten replays the rows of the block that were deleted before it', async () => {
  const rows = [aRow(1), aRow(2)];
  await writer.append(table, appended('block', rows, false));
  for (let n = 0; n < 10; n++) {
    await client.command({ query: `DELETE FROM ${table} WHERE 1` });
    expect(await offsets()).toEqual([]);
    await writer.append(table, appended('block', rows));
    expect(await offsets()).toEqual([1, 2]);
  }
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
  const ownWriter = new BlockWriter(client, {}, undefined, new Map([[table, [{ name: view, target }]]]));
  await ownWriter.append(table, appended('before', [aRow(1)], false));
  hurry();
  let isReplay = false;
  const store = async (some: readonly Row[]): Promise<void> => {
    const block = appended(`${some[0]?.offset}-${some.length}`, some, isReplay);
    isReplay = true;
    await ownWriter.appendWithView(table, { name: view, target }, block);
  };
  const rows = Array.from({ length: 8 }, (_, i) => aRow(2 + i));
  expect(await storeInHalves(store, rows)).toEqual(['5']);
  expect(await offsets()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(await offsets(`${target} FINAL`)).toEqual([1, 2, 3, 4, 6, 7, 8, 9]);
});

const makeId = (offset: number): string => `00000000-0000-7000-8000-${String(offset).padStart(12, '0')}`;

/** Stores rows that are all possible repeats. `queryFor` can replace the look-up of some of them by another query. */
async function storeAsked(queryFor: (ids: readonly string[]) => string | undefined, rows: number) {
  await client.command({ query: `ALTER TABLE ${table} ADD COLUMN message_id UUID` });
  const messages = Array.from({ length: rows }, (_, i) => ({
    ...aRow(i + 1),
    value: Buffer.from(JSON.stringify({ n: i + 1, message_id: makeId(i + 1) })),
  }));
  const lookUp = lookUpIn(client);
  const elsewhere: LookUp = async <Found>(lookUpTable: string, query: string, options: LookUpOptions = {}) => {
    const ids = options.tables?.find(({ name }) => name === 'asked')?.rows ?? [];
    return lookUp<Found>(lookUpTable, queryFor(ids) ?? query, options);
  };
  hurry();
  const store = (some: readonly Row[]) =>
    writer.append(
      table,
      { ...appended(`${some[0]?.offset}-${some.length}`, some, false), possibleRepeats: some },
      elsewhere,
    );
  return storeInHalves(store, messages);
}

it.each([
  ['with a named error', 'SELECT throwIf(1)'],
  ['because its text is too long', `SELECT 1 /* ${'x'.repeat(140_000)} */`],
])(
  'gives up a row whose look-up is refused %s, and stores all others of its block',
  async (_, query) => {
    const givenUp = await storeAsked((ids) => (ids.includes(makeId(5)) ? query : undefined), 12);
    expect(givenUp).toEqual(['5']);
    expect(await offsets()).toEqual([1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12]);
  },
  60_000,
);

it('cuts a block whose look-up takes too long, and gives up none of its rows', async () => {
  const slow = 'SELECT sleepEachRow(0.3) FROM numbers(10) SETTINGS max_execution_time = 1, max_block_size = 1';
  expect(await storeAsked((ids) => (ids.length > 3 ? slow : undefined), 12)).toEqual([]);
  expect(await offsets()).toHaveLength(12);
}, 60_000);

it('gives up no row while all look-ups are refused', async () => {
  await client.command({ query: `ALTER TABLE ${table} ADD COLUMN message_id UUID` });
  hurry();
  const refuse: LookUp = (lookUpTable) => lookUpIn(client)(lookUpTable, 'SELECT throwIf(1)');
  const row = { ...aRow(2), value: Buffer.from(JSON.stringify({ n: 2, message_id: makeId(2) })) };
  const block = { ...appended('asked', [row], false), possibleRepeats: [row] };
  for (let n = 0; n < 20; n++) {
    await expect(writer.append(table, block, refuse)).rejects.toBeInstanceOf(InsertError);
    await writer.append(table, appended(`other-${n}`, [aRow(100 + n)], false));
  }
});

it('gives up 1,500 rows that ClickHouse cannot skip within a minute, and stores all others', async () => {
  await writer.append(table, appended('before', [aRow(1)], false));
  const deep = (offset: number): Row => ({
    ...aRow(offset),
    value: Buffer.from(`{"n":${offset},"unknown":${'['.repeat(4_000)}${']'.repeat(4_000)}}`),
  });
  const rows = Array.from({ length: 2_250 }, (_, i) => (i % 3 === 2 ? aRow(2 + i) : deep(2 + i)));
  const refused = await writer.append(table, appended('deep', rows, false));
  expect(refused).toHaveLength(1_500);
  expect(new Set(refused.map(({ reason }) => reason)).size).toBeLessThanOrEqual(2);
  expect(await offsets()).toHaveLength(751);
}, 60_000);

it('stores rows of 300 weeks in one block', async () => {
  const rows = Array.from({ length: 3_000 }, (_, i) => aRow(1 + i, (i % 300) * 1_000));
  expect(await writer.append(table, appended('weeks', rows, false))).toEqual([]);
  expect(await offsets()).toHaveLength(3_000);
});
