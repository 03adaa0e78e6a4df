import { randomUUID } from 'node:crypto';
import { BlockWriter, createClickHouse, migrate, readMigrations, type Row } from '@sluice/clickhouse';
import { mayBeOneObject } from '@sluice/contracts';
import type {} from '@sluice/testing'; // types of `inject`
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { damagedRows } from './mutate.js';
import { sampleRows } from './sample-rows.js';

/** Number of mutated rows, for all tables together. */
const mutatedRows = Number(process.env['MUTATED_ROWS'] ?? 1_000);
const seed = Number(process.env['MUTATED_SEED'] ?? 1);
const rowsPerBlock = 250;
const atOnce = 4;
const apps = ['tracking', 'catalog', 'push-interaction'];

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `mutated_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
const writer = new BlockWriter(client);
const reasons = new Map<string, number>();

beforeAll(async () => {
  for (const app of apps)
    await migrate(config, await readMigrations(app, new URL(`../../../../apps/${app}/migrations/`, import.meta.url)));
  // A merge would remove good rows, which all have the same key.
  for (const table of Object.keys(sampleRows)) await client.command({ query: `SYSTEM STOP MERGES ${table}` });
});
afterAll(async () => {
  console.log(Object.fromEntries([...reasons].sort(([, a], [, b]) => b - a)));
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await client.close();
});

/** Offsets of a partition's stored rows; duplicates appear repeatedly. */
async function stored(table: string, partition: number): Promise<string[]> {
  const result = await client.query({
    query: `SELECT toString(kafka_offset) AS o FROM ${table} WHERE kafka_partition = ${partition} ORDER BY kafka_offset`,
    format: 'JSONEachRow',
  });
  return (await result.json<{ o: string }>()).map(({ o }) => o);
}

/** Works on several items at a time, because an INSERT spends most of its time waiting. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const openItems = items.values();
  const worker = async (): Promise<void> => {
    for (const item of openItems) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

it.each(Object.entries(sampleRows))(
  'every mutated row of %s is stored or refused at once, and the good rows between them are stored',
  async (table, sample) => {
    const count = Math.ceil(mutatedRows / Object.keys(sampleRows).length);
    const values = fc.sample(damagedRows(sample), { numRuns: count, seed }).filter(mayBeOneObject);
    const blocks = Array.from({ length: Math.ceil(values.length / rowsPerBlock) }, (_, n) => n);
    await each(blocks, async (n) => {
      const partition = n + 1;
      // Every other row is good. A damaged neighbour must not swallow it.
      const rows = values.slice(n * rowsPerBlock, partition * rowsPerBlock).flatMap((value, i): Row[] => [
        { value: Buffer.from(JSON.stringify(sample)), offset: String(2 * i + 1), timestamp: '1700000000000' },
        { value, offset: String(2 * i + 2), timestamp: '1700000000000' },
      ]);
      const refused = await writer.insert(table, { id: `${table}:${partition}`, partition, rows });
      const places = new Set(refused.map(({ message }) => message.offset));
      const expected = rows.map(({ offset }) => offset).filter((offset) => !places.has(offset));
      expect(await stored(table, partition)).toEqual(expected);
      expect([...places].filter((offset) => Number(offset) % 2 === 1)).toEqual([]);
      // Each refused row is also refused alone, at the first try.
      await each(refused, async ({ message, reason }) => {
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
        const alone = await writer.insert(table, { id: randomUUID(), partition: 0, rows: [message] });
        expect(alone.map((rejection) => rejection.message)).toEqual([message]);
      });
    });
    expect(await stored(table, 0)).toEqual([]);
  },
  mutatedRows * 60 + 60_000,
);
