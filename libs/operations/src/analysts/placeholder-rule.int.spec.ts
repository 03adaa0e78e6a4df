import { createClickHouse } from '@sluice/clickhouse';
import { personIdCondition, isPlaceholderId } from '@sluice/contracts';
import { Random } from '@sluice/testing';
import { expect, inject, it } from 'vitest';
import { findMigrations } from '../status/migration-files.js';

const statements = (await findMigrations()).flatMap((migration) => migration.statements);
/** The latest definition of a view. */
const readDefinition = (view: string): string =>
  statements.findLast(
    (statement) =>
      statement.startsWith(`CREATE VIEW IF NOT EXISTS ${view}\n`) ||
      statement.startsWith(`CREATE VIEW IF NOT EXISTS ${view} AS`),
  ) ?? '';

it('the views have the list of this version', () => {
  expect(readDefinition('identity_claims')).toContain(personIdCondition('user_id'));
  expect(readDefinition('identity_claims')).toContain(personIdCondition('anonymous_id'));
  expect(readDefinition('user_traits')).toContain(personIdCondition("if(user_id = '', anonymous_id, user_id)"));
});

it('no view makes links of its own', () => {
  const views = new Set(statements.flatMap((text) => /^CREATE VIEW IF NOT EXISTS (\w+)/.exec(text)?.[1] ?? []));
  const linking = [...views].filter((view) =>
    /anonymous_id, min|AS linked|min\(concat|min\(\(/.test(readDefinition(view)),
  );
  expect(linking.sort()).toEqual(['identity_links', 'sessions', 'user_timeline']);
  for (const view of linking)
    expect([view, readDefinition(view)]).toEqual([view, expect.stringContaining('FROM identity_claims')]);
});

it('ClickHouse and the gateway agree on each text', async () => {
  const random = new Random(5);
  const pieces = [
    'undefined',
    'NULL',
    'nan',
    '0',
    '00',
    '-',
    '_',
    '.',
    ':',
    ' ',
    'a',
    'Z',
    '\u212A',
    'ß',
    '\u{1f600}',
    'guest',
    '-1',
    "'",
    '\\',
  ];
  const ids = Array.from({ length: 5_000 }, () =>
    Array.from({ length: random.below(4) }, () => random.pick(pieces)).join(''),
  );
  const client = createClickHouse({
    CLICKHOUSE_URL: inject('clickhouseUrl'),
    CLICKHOUSE_DATABASE: 'default',
    CLICKHOUSE_USER: 'default',
    CLICKHOUSE_PASSWORD: '',
  });
  try {
    const query = `SELECT arrayFilter(id -> NOT (${personIdCondition('id')}), {ids:Array(String)}) AS nobody`;
    const result = await client.query({ query, query_params: { ids }, format: 'JSONEachRow' });
    const [row] = await result.json<{ nobody: string[] }>();
    const nobody = ids.filter(isPlaceholderId);
    expect(nobody.length).toBeGreaterThan(500);
    expect(nobody.length).toBeLessThan(4_500);
    expect(row?.nobody).toEqual(nobody);
  } finally {
    await client.close();
  }
});
