import { randomUUID } from 'node:crypto';
import { BlockWriter, createClickHouse, migrate, readMigrations, type Row } from '@sluice/clickhouse';
import { type FreeForm } from '@sluice/contracts';
import { eventRow, hashName, Report, keepStorable } from '@sluice/messages';
import type {} from '@sluice/testing'; // types of `inject`
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { sampleRows } from '../mutated/sample-rows.js';

const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31);
const rowsPerBlock = 40;
const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `neighbours_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
const writer = new BlockWriter(client);

beforeAll(async () => {
  for (const app of ['tracking', 'catalog', 'push-interaction'])
    await migrate(config, await readMigrations(app, new URL(`../../../../apps/${app}/migrations/`, import.meta.url)));
});
afterAll(async () => {
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await client.close();
});

const whole = fc.constantFrom(0, 7, -3, 2 ** 53 - 1);
const fraction = fc.constantFrom(0.5, -1.25, 1e-7);
const text = fc.constantFrom('x', '', '7', '[1,"a"]', 'see [[1]]');
const names = ['a', 'items', 'products', 'product_id'] as const;
const anyList = (item: fc.Arbitrary<unknown>) => fc.array(item, { maxLength: 3 });

/** Objects whose few paths have values of every kind. */
const objects = (arrays: (tie: fc.LetrecTypedTie<{ value: unknown; object: object }>) => fc.Arbitrary<unknown>[]) =>
  fc.letrec<{ value: unknown; object: object }>((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, whole, fraction, text, fc.boolean(), tie('object'), ...arrays(tie)),
    object: fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 3 }),
  })).object;

/** Blocks by what the arrays in them are. */
const blocks = {
  'arrays of every kind': objects((tie) => [
    anyList(tie('value')),
    anyList(tie('object')),
    anyList(whole),
    anyList(fraction),
    anyList(fc.oneof(text, fc.constant(null))),
    anyList(fc.boolean()),
    anyList(anyList(fc.oneof(whole, fraction))),
  ]),
  'arrays of objects, texts, booleans and whole numbers': objects((tie) => [
    anyList(tie('object')),
    anyList(fc.oneof(text, fc.constant(null))),
    anyList(fc.boolean()),
    anyList(fc.oneof(whole, fc.constant(null))),
  ]),
  'arrays of objects, texts, booleans and fractions': objects((tie) => [
    anyList(tie('object')),
    anyList(text),
    anyList(fc.boolean()),
    anyList(fraction),
  ]),
};

const types = ['Int64', 'Float64', 'String', 'Bool'];
const arrayTypes = ['Array(JSON)', 'Array(Dynamic)', ...types.map((type) => `Array(Nullable(${type}))`)];

/** The ways of reading a JSON column in docs/tables.md#columns-of-every-table, for the paths of the rows. */
const readings = (column: string): string[] => [
  `toString(${column})`,
  `toString(arraySort(JSONAllPaths(${column})))`,
  ...names.flatMap((name) => [
    `toString(${column}.${name})`,
    `toString(toFloat64OrNull(toString(${column}.${name})))`,
    `toString(${column}.^${name})`,
    // An array without items has the type of any other at its path.
    `if(toString(${column}.${name}) = '[]', '', dynamicType(${column}.${name}))`,
    ...[...types, ...arrayTypes].map((type) => `toString(${column}.${name}.:\`${type}\`)`),
    ...names.flatMap((below) => [
      `toString(${column}.${name}.${below})`,
      `toString(${column}.${name}[].${below})`,
      `toString(${column}.${name}[].${below}.:Int64)`,
      `toString(${column}.${name}[].${below}.:\`Array(Nullable(Int64))\`)`,
      `toString(${column}.${name}[].${below}[].${below})`,
    ]),
  ]),
];

/** The text that each row reads as, in the order of the rows. */
async function readAll(table: string, column: string, partition: number): Promise<unknown[]> {
  const result = await client.query({
    query: `SELECT [${readings(column).join(', ')}] AS answers FROM ${table}
            WHERE kafka_partition = ${partition} ORDER BY kafka_offset`,
    format: 'JSONEachRow',
  });
  return result.json();
}

const columns = [
  ['events', 'properties'],
  ['events', 'context'],
  ['identifies', 'traits'],
  ['ad_requests', 'body'],
  ['products', 'attributes'],
  ['general_entities', 'data'],
] as const;

describe.each(Object.entries(blocks))('in a block with %s', (_, generated) => {
  it.each(columns)(`no row of %s changes how the %s of another is read (seed ${seed})`, async (table, column) => {
    await client.command({ query: `TRUNCATE TABLE ${table}` });
    const values = fc.sample(generated, { numRuns: rowsPerBlock, seed }).map((value) => stored(value));
    const makeRow = (source: string, value: FreeForm, n: number): Row => {
      const row = { ...sampleRows[table], properties: undefined, context: undefined, source_id: `${source}${n}` };
      // Every other row is of a gateway that did not name products yet.
      const productMember = column === 'properties' && n % 2 === 0 ? { product_ids: readProducts(value) } : {};
      const json = JSON.stringify({ ...row, ...productMember, [column]: value });
      return { value: Buffer.from(json), offset: String(n), timestamp: '1700000000000' };
    };
    const together = values.map((value, n) => makeRow('together', value, n));
    expect(await writer.insert(table, { id: randomUUID(), partition: 1, rows: together })).toEqual([]);
    for (const [n, value] of values.entries())
      await writer.insert(table, { id: randomUUID(), partition: 2, rows: [makeRow('alone', value, n)] });

    const alone = await readAll(table, column, 2);
    expect(alone).toHaveLength(rowsPerBlock);
    expect(await readAll(table, column, 1)).toEqual(alone);
    if (column === 'properties')
      expect(await namedProducts()).toEqual(values.map((value) => readProducts(value).toSorted()));
    await client.command({ query: `OPTIMIZE TABLE ${table} FINAL` });
    expect(await readAll(table, column, 1)).toEqual(alone);
    expect(await readAll(table, column, 2)).toEqual(alone);
  });
});

it(`nobody's traits change how those of another read in user_traits (seed ${seed})`, async () => {
  await client.command({ query: 'TRUNCATE TABLE identifies' });
  await client.command({ query: 'TRUNCATE TABLE users' });
  const values = fc
    .sample(blocks['arrays of every kind'], { numRuns: rowsPerBlock, seed })
    .map((value) => stored(value));
  const rows = values.map((traits, n) => {
    const json = JSON.stringify({ ...sampleRows.identifies, source_id: `s${String(n).padStart(3, '0')}`, traits });
    return { value: Buffer.from(json), offset: String(n), timestamp: '1700000000000' };
  });
  expect(await writer.insert('identifies', { id: randomUUID(), partition: 1, rows })).toEqual([]);
  const read = async (from: string) => {
    const query = `SELECT [${readings('traits').join(', ')}] AS answers FROM ${from} ORDER BY source_id`;
    return (await client.query({ query, format: 'JSONEachRow' })).json();
  };
  const whole = await read('user_traits');
  expect(whole).toEqual(await read(`(SELECT source_id, traits FROM identifies WHERE notEmpty(JSONAllPaths(traits)))`));
  const alone = values.map((_, n) => read(`user_traits WHERE source_id = 's${String(n).padStart(3, '0')}'`));
  expect((await Promise.all(alone)).flat()).toEqual(whole);
});

/** A generated object as a gateway stores it. */
const stored = (value: object): FreeForm =>
  keepStorable({ ...value }, '', 'free', new Report(), hashName('properties'));

/** The products that a gateway says an event has. */
const readProducts = (properties: FreeForm): readonly string[] => {
  const { received_at, source_id, request_id, message_id: messageId } = sampleRows.events;
  const facts = { messageId, userAgent: undefined, country: undefined, verdict: undefined };
  return (
    eventRow({ event: 'e', properties }, { ...facts, origin: { received_at, source_id, request_id } }).product_ids ?? []
  );
};

async function namedProducts(): Promise<string[][]> {
  const query = 'SELECT arraySort(product_ids) AS ids FROM events WHERE kafka_partition = 1 ORDER BY kafka_offset';
  const result = await client.query({ query, format: 'JSONEachRow' });
  return (await result.json<{ ids: string[] }>()).map(({ ids }) => ids);
}
