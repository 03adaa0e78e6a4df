import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { findSqlExamples } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { findMigrations } from '../status/migration-files.js';
import { sentObjects, source, storeEverything } from './every-view.spec-support.js';

// A property that has been a text, an object or an array once breaks no example of docs/tables.md.

const page = await readFile(new URL('../../../../docs/tables.md', import.meta.url), 'utf8');
const examples = findSqlExamples(page);

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `odd_values_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
const objects = sentObjects(11, 40);

beforeAll(async () => {
  await migrate(config, await findMigrations());
  await storeEverything(client, 11, objects);
  // Each event that an example names has been sent with each value.
  const names = [...new Set(page.match(/(?<=')(?:order|product)_[a-z]+(?=')/g))];
  await client.command({
    query: `INSERT INTO events SELECT * REPLACE (arrayJoin({names:Array(String)}) AS event, generateUUIDv4() AS message_id)
            FROM events FINAL WHERE user_id = 'sent'`,
    query_params: { names },
  });
});
afterAll(async () => {
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await client.close();
});

/** An example for the source and the time of the data. */
const adapted = (example: string): string =>
  example
    .replaceAll('GhIjKl789012', source)
    .replaceAll(/(?:now|today)\(\) - (?:INTERVAL )?[0-9]+(?: DAY)?/g, `'2026-02-01'`)
    .replaceAll(/(?:now|today)\(\)/g, `'2026-06-01'`);

async function select<Row>(query: string): Promise<Row[]> {
  return (await client.query({ query: adapted(query), format: 'JSONEachRow' })).json<Row>();
}

/** Returns what a value adds to a sum, in billionths. */
function countNanos(value: unknown): bigint {
  if (value === true) return 1_000_000_000n;
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (typeof number !== 'number' || Number.isNaN(number) || number > 1e20) return 0n;
  return Number.isInteger(number) ? BigInt(number) * 1_000_000_000n : BigInt(Math.round(number * 1e9));
}

it('counts the numbers in a turnover, whatever else was sent', async () => {
  const orders = await select<{ properties: Record<string, unknown> }>(
    `SELECT properties FROM events FINAL WHERE event = 'order_completed'`,
  );
  const sum = orders.reduce((nanos, { properties }) => nanos + countNanos(properties['total']), 0n);
  expect(sum).toBeGreaterThan(0n);
  const turnovers = examples.filter((example) => example.includes('AS turnover'));
  expect(turnovers).toHaveLength(2);
  for (const example of turnovers) {
    const [row] = await select<{ nanos: string }>(
      `SELECT toString(sum(turnover * 1000000000)::Decimal(38, 0)) AS nanos FROM (${example.replace('2026-04-01', '2026-06-01')})`,
    );
    expect(BigInt(row?.nanos ?? 0)).toBe(sum);
  }
});

it.each(examples)('does not break: %s', async (query) => {
  await expect(select(query)).resolves.toBeInstanceOf(Array);
});
