import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { FinalError } from '@sluice/contracts';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { BlockWriter } from './block-writer.js';
import { createClickHouse } from '../connection/client.js';
import { InsertError } from '../rows/insert-error.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: 'default',
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
const writer = new BlockWriter(client);
let table: string;

beforeAll(() => writer.ping());
afterAll(() => writer.close());

beforeEach(async () => {
  table = `rows_${randomUUID().replaceAll('-', '')}`;
  await client.command({
    query: `CREATE TABLE ${table} (n UInt32, at DateTime64(3, 'UTC'), data JSON, kafka_partition UInt16,
              kafka_offset UInt64, kafka_timestamp DateTime64(3, 'UTC'))
            ENGINE = MergeTree ORDER BY n SETTINGS non_replicated_deduplication_window = 100`,
  });
});

const aRow = (n: number, json = JSON.stringify({ n, at: '2024-01-05T10:00:00.5Z', data: { text: 'Jan 5 2024' } })) => ({
  value: Buffer.from(json),
  offset: String(n),
  timestamp: '1700000000012',
});
const count = async (): Promise<number> => {
  const result = await client.query({ query: `SELECT count() AS n FROM ${table}`, format: 'JSONEachRow' });
  const [row] = await result.json<{ n: string }>();
  return Number(row?.n);
};

it('stores rows as they were sent, with their place in Kafka', async () => {
  await writer.insert(table, { id: 'a', partition: 7, rows: [aRow(1)] });

  const result = await client.query({ query: `SELECT * FROM ${table}`, format: 'JSONEachRow' });
  expect(await result.json()).toEqual([
    {
      n: 1,
      at: '2024-01-05 10:00:00.500',
      data: { text: 'Jan 5 2024' },
      kafka_partition: 7,
      kafka_offset: 1,
      kafka_timestamp: '2023-11-14 22:13:20.012',
    },
  ]);
});

it('stores a block once, however often it is inserted under its id', async () => {
  const block = { id: 'topic:0:1-2@3', partition: 0, rows: [aRow(1), aRow(2)] };
  await writer.insert(table, block);
  await writer.insert(table, block);
  expect(await count()).toBe(2);

  await writer.insert(table, { ...block, id: 'topic:0:3-4@5' });
  expect(await count()).toBe(4);
});

it.each([
  ['not JSON', '{"n":1', 'value is not a row'],
  ['a lone surrogate', '{"n":1,"data":{"a":"\\ud800"}}', 'ClickHouse refused the row: INCORRECT_DATA'],
  ['an invalid time', '{"n":1,"at":"yesterday"}', 'ClickHouse refused the row: CANNOT_PARSE_DATETIME'],
  ['text for a number', '{"n":"one"}', 'ClickHouse refused the row: CANNOT_PARSE_INPUT_ASSERTION_FAILED'],
  ['a column that Sluice sets itself', '{"n":1,"kafka_offset":7}', 'ClickHouse refused the row: INCORRECT_DATA'],
])('refuses a row because of %s, and stores all others of its block', async (_, json, reason) => {
  const bad = aRow(10_000, json);
  const rows = [...Array.from({ length: 20_000 }, (__, n) => aRow(n)).filter((__, n) => n !== 10_000), bad];

  expect(await writer.insert(table, { id: 'bad', partition: 0, rows })).toEqual([{ message: bad, reason }]);
  expect(await count()).toBe(19_999);
});

it('refuses 50,000 bad rows at once when the table has taken another row', async () => {
  await writer.insert(table, { id: 'good', partition: 0, rows: [aRow(1)] });
  const rows = Array.from({ length: 50_000 }, (_, n) => aRow(n + 2, '{"n":"one"}'));

  const refused = await writer.insert(table, { id: 'bad', partition: 0, rows });
  expect(new Set(refused.map(({ message }) => message))).toEqual(new Set(rows));
  expect(await count()).toBe(1);
}, 120_000);

it('refuses no row while the table cannot read a row that it took before', async () => {
  await writer.insert(table, { id: 'good', partition: 0, rows: [aRow(1)] });
  await client
    .command({ query: `ALTER TABLE ${table} MODIFY COLUMN at UUID DEFAULT generateUUIDv4()` })
    .catch(() =>
      client
        .command({ query: `ALTER TABLE ${table} DROP COLUMN at` })
        .then(() => client.command({ query: `ALTER TABLE ${table} ADD COLUMN at UUID` })),
    );
  const insert = writer.insert(table, { id: 'changed', partition: 0, rows: [aRow(2), aRow(3)] });
  await expect(insert).rejects.toBeInstanceOf(InsertError);
});

const anEvent = (n: number, id: string) => aRow(n, JSON.stringify({ message_id: id, n }));
const offsets = async (): Promise<string[]> => {
  const result = await client.query({
    query: `SELECT toString(kafka_offset) AS o FROM ${table} ORDER BY kafka_offset`,
    format: 'JSONEachRow',
  });
  return (await result.json<{ o: string }>()).map(({ o }) => o);
};

it('stores only the missing rows of a replay, even if ClickHouse has forgotten its id', async () => {
  const rows = [aRow(1), aRow(2), aRow(3), aRow(4)];
  await writer.insert(table, { id: 'another cut', partition: 0, rows: rows.slice(1, 3) });
  await writer.insert(table, { id: 'another partition', partition: 1, rows: [aRow(4)] });
  await writer.insert(table, { id: 'another log', partition: 0, rows: [{ ...aRow(1), timestamp: '1600000000000' }] });

  await writer.append(table, { id: 'block', partition: 0, rows, replay: true, possibleRepeats: [] });

  expect(await offsets()).toEqual(['1', '1', '2', '3', '4', '4']);
});

it('stores a possible repeat only if its message is new, and stores all other rows', async () => {
  await client.command({ query: `ALTER TABLE ${table} ADD COLUMN message_id UUID` });
  const [a, b, c, d] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  await writer.insert(table, { id: 'first', partition: 0, rows: [anEvent(1, a)] });
  const rows = [
    anEvent(2, a),
    anEvent(3, b),
    anEvent(4, b),
    anEvent(5, c),
    anEvent(6, c),
    anEvent(7, d),
    anEvent(8, d),
  ];
  const possibleRepeats = [2, 4, 5, 6, 8].flatMap((offset) => rows.find((row) => row.offset === String(offset)) ?? []);

  await writer.append(table, { id: 'second', partition: 0, rows, replay: false, possibleRepeats });

  expect(await offsets()).toEqual(['1', '3', '5', '7']);
});

it('treats an exception in the body of a "200" as a failure', async () => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end('Code: 241. DB::Exception: Memory limit (total) exceeded'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const late = new BlockWriter(createClickHouse({ ...config, CLICKHOUSE_URL: url }));

  const insert = late.insert(table, { id: 'x', partition: 0, rows: [aRow(1)] });
  await expect(insert).rejects.toThrow('answered an INSERT with Code: 241');
  await expect(insert).rejects.not.toBeInstanceOf(FinalError);
  await late.close();
  server.close();
});

it('treats a missing table as a failure that a retry can fix', async () => {
  const insert = writer.insert('no_such_table', { id: 'x', partition: 0, rows: [aRow(1)] });
  await expect(insert).rejects.not.toBeInstanceOf(FinalError);
});

it('treats a server that does not answer as a failure that a retry can fix', async () => {
  const nobody = new BlockWriter(createClickHouse({ ...config, CLICKHOUSE_URL: 'http://127.0.0.1:1' }));
  const insert = nobody.insert(table, { id: 'x', partition: 0, rows: [aRow(1)] });
  await expect(insert).rejects.not.toBeInstanceOf(FinalError);
  await nobody.close();
});

it('stores good rows after rows that are cut off in a UUID, however many rows are refused', async () => {
  await client.command({ query: `ALTER TABLE ${table} ADD COLUMN id UUID` });
  const plain = Array.from({ length: 250 }, (_, i) => aRow(1 + i, '{"n":"x"}'));
  const cut = '{"n":1,"id":"0190a6e5"}';
  const rows = [...plain, aRow(251, cut), aRow(252), aRow(253, cut), aRow(254, cut), aRow(255), aRow(256, cut)];
  const refused = await writer.insert(table, { id: 'a', partition: 0, rows });
  expect(refused.map(({ message }) => Number(message.offset)).filter((n) => n > 250)).toEqual([251, 253, 254, 256]);
  expect(await count()).toBe(2);
});

it('stores good rows between a row that leaves an object open and one that closes it', async () => {
  await client.command({ query: `ALTER TABLE ${table} ADD COLUMN text String, ADD COLUMN texts Array(String)` });
  for (const [start, end] of [
    ['{"text":{"a":{"b":1}', '{"n":9}}}'],
    ['{"text":[{"b":1}', '{"n":[9]]}'],
    ['{"texts":[{"a":{"b":1}', '{"n":[9]]}'],
    ['{"unknown":{"a":{"b":1}', '{"n":9}}}'],
    ['{"data":{"a":{"b":1}', '{"n":9}}}'],
  ] as const) {
    const rows = [aRow(1, start), aRow(2), aRow(3), aRow(4, end)];
    const refused = await writer.insert(table, { id: start, partition: 0, rows });
    expect(refused.map(({ message }) => message.offset)).toEqual(['1', '4']);
  }
  expect(await count()).toBe(10);
});

it('stores good rows around an object whose texts are shifted by a lost quote', async () => {
  const shifted = '{"n":1,"at":"2024-01-05T10:00:00Z","data":{"a:"x","b":"a \\"q\\" b","c":"y","d":"z"}}';
  const rows = Array.from({ length: 600 }, (_, i) => (i % 2 ? aRow(i) : aRow(i, i % 3 ? '{"n":"x"}' : shifted)));
  const refused = await writer.insert(table, { id: 'a', partition: 0, rows });
  expect(refused.map(({ message }) => Number(message.offset)).filter((n) => n % 2 === 1)).toEqual([]);
  expect(await count()).toBe(300);
});

it('refuses a broken row of a block only if ClickHouse refuses it alone', async () => {
  await client.command({ query: `ALTER TABLE ${table} ADD COLUMN text String` });
  const lax = aRow(2, '{"n":2,"text":"\\udc@0x"}');
  expect(await writer.insert(table, { id: 'alone', partition: 0, rows: [lax] })).toEqual([]);
  const refused = await writer.insert(table, { id: 'a', partition: 0, rows: [aRow(1), lax, aRow(3, '{"n":"x"}')] });
  expect(refused.map(({ message }) => message.offset)).toEqual(['3']);
});
