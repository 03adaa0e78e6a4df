import { createClickHouse, onCluster, runnable } from '@sluice/clickhouse';
import { findMigrations } from '@sluice/operations';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, describe, expect, inject, it } from 'vitest';

/** Client that parses each statement for a cluster with ClickHouse's own parser, because the tests have no cluster. */
const client = createClickHouse({
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: 'default',
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
});
afterAll(() => client.close());

/** Formats one statement as ClickHouse has parsed it. */
async function parsed(statement: string): Promise<string> {
  const result = await client.query({
    query: 'SELECT formatQuerySingleLine({statement:String}) AS text',
    query_params: { statement },
    format: 'JSONEachRow',
  });
  const [row] = await result.json<{ text: string }>();
  return row?.text ?? '';
}

const migrations = await findMigrations();

describe.each(migrations)('$app/$name on a cluster', ({ statements }) =>
  it.each(runnable(statements))('%#', async (statement) => {
    const [alone, onAll] = [await parsed(statement), await parsed(onCluster(statement, 'prod'))];

    if (/^(?:INSERT|SELECT|OPTIMIZE)/.test(alone)) expect(onAll).toBe(alone);
    else expect(onAll).toMatch(/^(?:CREATE|ALTER|DROP) [A-Z ]+ [\w.`]+ ON CLUSTER prod\b/);
    for (const [, engine] of onAll.matchAll(/ENGINE = (\w*MergeTree)/g)) expect(engine).toMatch(/^Replicated/);
    expect(onAll).not.toContain('non_replicated');
    // The rest of the statement is unchanged.
    const back = onAll
      .replace(' ON CLUSTER prod', '')
      .replaceAll('ENGINE = Replicated', 'ENGINE = ')
      .replace(/ replicated_dedup(\w+) = (\d+), replicated_\w+ = 604800/, ' non_replicated_dedup$1 = $2');
    expect(back).toBe(alone);
  }),
);

it('gives every table a deduplication window for tokens', () => {
  const tables = migrations
    .flatMap(({ statements }) => statements)
    .filter((statement) => /ENGINE = \w*MergeTree/.test(statement));
  expect(tables.length).toBeGreaterThan(10);
  for (const table of tables) expect(onCluster(table, 'prod')).toContain('replicated_deduplication_window = 10000');
});
