import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { startClickHouse } from '@sluice/testing';
import { afterAll, afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { createClickHouse } from '../connection/client.js';
import { type Migration } from './migration.js';
import { migrate, planMigrations } from './migrations.js';

const file = (name: string, ...statements: string[]): Migration => ({
  app: 'app',
  name,
  statements,
  checksum: name.padEnd(64, '0'),
});

/** Every kind of statement: of a view that changes twice, a column that comes and goes, and a view that goes. */
const migrations: Migration[] = [
  file(
    '0001-things',
    `CREATE TABLE IF NOT EXISTS things (
       n UInt8 COMMENT 'a, (b', -- a comment (with, signs
       s String DEFAULT concat('a', ','),
       removed String,
       INDEX n_minmax n TYPE minmax GRANULARITY 1,
       PROJECTION by_s (SELECT n, s ORDER BY s)
     ) ENGINE = MergeTree ORDER BY n SETTINGS deduplicate_merge_projection_mode = 'rebuild'`,
    'CREATE TABLE IF NOT EXISTS sums (n UInt8) ENGINE = MergeTree ORDER BY n',
    'CREATE MATERIALIZED VIEW IF NOT EXISTS things_to_sums TO sums AS SELECT n FROM things',
    'CREATE VIEW IF NOT EXISTS shown AS SELECT n FROM things',
    'CREATE VIEW IF NOT EXISTS gone AS SELECT n FROM things',
  ),
  file(
    '0002-more',
    "ALTER TABLE things ADD COLUMN IF NOT EXISTS more Array(String) COMMENT 'x', ADD COLUMN IF NOT EXISTS even_more UInt8",
  ),
  file('0003-shown', 'DROP VIEW IF EXISTS shown', 'CREATE VIEW IF NOT EXISTS shown AS SELECT n, more FROM things'),
  file(
    '0004-less',
    'ALTER TABLE things DROP COLUMN IF EXISTS removed',
    'ALTER TABLE things MODIFY COLUMN even_more UInt16 DEFAULT 1',
    'ALTER TABLE things MODIFY SETTING merge_with_ttl_timeout = 20000',
    'DROP VIEW IF EXISTS gone',
  ),
  file(
    '0005-shown',
    'DROP VIEW IF EXISTS shown',
    "CREATE VIEW IF NOT EXISTS shown AS SELECT n, s, more FROM things SETTINGS join_use_nulls = 0 COMMENT 'it''s shown'",
  ),
];

const server = createClickHouse({
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: 'default',
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
});
let config: Parameters<typeof migrate>[0];
const proxies: Server[] = [];

beforeEach(() => {
  config = {
    CLICKHOUSE_URL: inject('clickhouseUrl'),
    CLICKHOUSE_DATABASE: `db_${randomUUID().replaceAll('-', '')}`,
    CLICKHOUSE_USER: 'default',
    CLICKHOUSE_PASSWORD: '',
  };
});
afterEach(async () => {
  for (const proxy of proxies.splice(0)) proxy.close();
  await run(`DROP DATABASE IF EXISTS ${config.CLICKHOUSE_DATABASE}`);
});
afterAll(() => server.close());

const run = (query: string) => server.command({ query });

/** CREATE statements of all tables and views, by name. */
async function schemaNow(): Promise<Record<string, string>> {
  const result = await server.query({
    query: `SELECT name, replaceAll(create_table_query, concat({d:String}, '.'), '') AS text FROM system.tables
            WHERE database = {d:String} AND name NOT LIKE '\\_tmp%' ORDER BY name`,
    query_params: { d: config.CLICKHOUSE_DATABASE },
    format: 'JSONEachRow',
  });
  const rows = await result.json<{ name: string; text: string }>();
  return Object.fromEntries(rows.map(({ name, text }) => [name, text]));
}

async function cleanSchema(): Promise<Record<string, string>> {
  await migrate(config, migrations);
  const schema = await schemaNow();
  await run(`DROP DATABASE ${config.CLICKHOUSE_DATABASE} SYNC`);
  return schema;
}

const isDdl = (query: string): boolean => /^\s*(?:CREATE|ALTER|DROP)\s/i.test(query);

/**
 * A ClickHouse for a process that is killed after its n-th statement: it waits for `before` ahead of that statement, runs
 * it, and never answers again.
 */
async function killedAfter(n: number, before: () => Promise<unknown>): Promise<string> {
  let statements = 0;
  const proxy = createServer((incoming, outgoing) => {
    void buffer(incoming).then(async (body) => {
      if (isDdl(body.toString())) statements += 1;
      if (statements > n) {
        outgoing.destroy();
        return;
      }
      const isLast = statements === n && isDdl(body.toString());
      if (isLast) await before();
      const to = new URL(incoming.url ?? '', inject('clickhouseUrl'));
      const upstream = request(to, { method: incoming.method, headers: incoming.headers }, (answer) => {
        if (isLast) {
          statements += 1;
          answer.resume().once('end', () => outgoing.destroy());
          return;
        }
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      upstream.end(body);
    });
  }).listen(0, '127.0.0.1');
  proxies.push(proxy);
  await once(proxy, 'listening');
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

const problems = ({ repairs }: { repairs: readonly { table: string; problem: string }[] }): string[] =>
  repairs.map(({ table, problem }) => `${table}: ${problem}`);

/** Statements of a first migration: the database, the record, and those of the files, but for views that are replaced. */
const statementCount = 14;

it('makes the same schema whichever statement of two processes one of them is killed after', async () => {
  const clean = await cleanSchema();
  expect(Object.keys(clean)).toEqual(['schema_migrations', 'shown', 'sums', 'things', 'things_to_sums']);
  let killed = 0;
  for (let n = 1; n <= statementCount + 1; n++) {
    const url = await killedAfter(n, () => migrate(config, migrations));
    await migrate({ ...config, CLICKHOUSE_URL: url }, migrations).catch(() => (killed += 1));
    const [plan, done] = [await planMigrations(config, migrations), await migrate(config, migrations)];
    // Repairs that the plan names are done, unless a pending migration does them.
    if (plan.migrations.length === 0) expect(problems(done)).toEqual(problems(plan));
    expect([n, await schemaNow()]).toEqual([n, clean]);
    expect(problems(await migrate(config, migrations))).toEqual([]);
    await run(`DROP DATABASE ${config.CLICKHOUSE_DATABASE} SYNC`);
  }
  expect(killed).toBe(statementCount);
});

it('can replace views in several processes at once', async () => {
  const clean = await cleanSchema();
  await Promise.all(Array.from({ length: 6 }, () => migrate(config, migrations)));
  expect(await schemaNow()).toEqual(clean);
  expect(problems(await migrate(config, migrations))).toEqual([]);
});

describe('repairs', () => {
  it.each([
    ['DROP TABLE things', 'things: missing table'],
    ['DROP TABLE sums', 'sums: missing table'],
    ['DROP VIEW things_to_sums', 'things_to_sums: missing materialized view'],
    ['DROP VIEW shown', 'shown: missing view'],
    ['CREATE OR REPLACE VIEW shown AS SELECT 1 AS n', 'shown: view of another definition than app/0005-shown has'],
    [
      'CREATE OR REPLACE MATERIALIZED VIEW things_to_sums TO sums AS SELECT n FROM things WHERE n = 1',
      'things_to_sums: materialized view of another definition than app/0001-things has',
    ],
    ['ALTER TABLE things DROP COLUMN even_more', 'things: missing column even_more'],
    [
      'ALTER TABLE things MODIFY COLUMN even_more UInt32 DEFAULT 1',
      'things: column even_more is UInt32 DEFAULT and not UInt16 DEFAULT',
    ],
    [
      'ALTER TABLE things MODIFY COLUMN even_more REMOVE DEFAULT',
      'things: column even_more is UInt16 and not UInt16 DEFAULT',
    ],
    ['ALTER TABLE things ADD COLUMN removed String', 'things: column removed, which a migration removed'],
    ['ALTER TABLE things DROP INDEX n_minmax', 'things: missing index n_minmax'],
    ['ALTER TABLE things DROP PROJECTION by_s', 'things: missing projection by_s'],
  ])('%s', async (damage, problem) => {
    await migrate(config, migrations);
    const before = await schemaNow();
    const client = createClickHouse(config);
    await client.command({ query: damage });
    await client.close();
    expect(problems(await planMigrations(config, migrations))).toEqual([problem]);
    expect(problems(await migrate(config, migrations))).toEqual([problem]);
    expect(await schemaNow()).toEqual(before);
    expect(problems(await migrate(config, migrations))).toEqual([]);
  });

  it('replaces the views of an earlier version, which had no marks, once', async () => {
    const client = createClickHouse(config);
    await migrate(config, migrations);
    await client.command({ query: 'CREATE OR REPLACE VIEW shown AS SELECT n, s, more FROM things' });
    await client.command({ query: "ALTER TABLE things_to_sums MODIFY COMMENT ''" });
    await client.close();
    expect(problems(await migrate(config, migrations))).toEqual([
      'things_to_sums: materialized view without a mark of its definition',
      'shown: view of another definition than app/0005-shown has',
    ]);
    expect(problems(await migrate(config, migrations))).toEqual([]);
  });

  it('repairs nothing in a database that a newer version has migrated', async () => {
    await migrate(config, migrations);
    await run(`DROP VIEW ${config.CLICKHOUSE_DATABASE}.shown`);
    expect(problems(await migrate(config, migrations.slice(0, -1)))).toEqual([]);
    expect(problems(await planMigrations(config, migrations.slice(0, -1)))).toEqual([]);
    expect(Object.keys(await schemaNow())).not.toContain('shown');
  });
});

describe('with rights that do not reach', () => {
  const grants = [
    'GRANT SELECT ON schema_migrations',
    'GRANT SELECT, INSERT ON things',
    'GRANT SHOW TABLES ON things_to_sums',
  ];
  const users = [
    { name: 'narrow', password: 'p', grants: grants.map((grant) => grant.replace(' ON ', ' ON guarded.')) },
    { name: 'reader', password: 'p', grants: ['GRANT SELECT ON guarded.*'] },
  ];

  it('a process leaves views to others, and waits for what it stores rows in', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-guarded-'));
    const clickhouse = await startClickHouse({ dataDir: folder, users });
    try {
      const ownView = {
        CLICKHOUSE_URL: clickhouse.url,
        CLICKHOUSE_DATABASE: 'guarded',
        CLICKHOUSE_USER: 'default',
        CLICKHOUSE_PASSWORD: '',
      };
      await migrate(ownView, migrations);
      const admin = createClickHouse(ownView);
      const as = (name: string, needsViews = false) =>
        migrate({ ...ownView, CLICKHOUSE_USER: name, CLICKHOUSE_PASSWORD: 'p' }, migrations, { needsViews });
      const denied = expect.objectContaining({ type: 'ACCESS_DENIED' }) as unknown;

      await admin.command({ query: 'DROP VIEW shown' });
      expect(problems(await as('narrow'))).toEqual([]);
      expect(problems(await as('reader'))).toEqual([]);
      await expect(as('reader', true)).rejects.toEqual(denied);

      await admin.command({ query: 'DROP VIEW things_to_sums' });
      await expect(as('narrow')).rejects.toEqual(denied);
      await admin.command({ query: 'DROP TABLE things' });
      await expect(as('narrow')).rejects.toEqual(denied);

      await migrate(ownView, migrations);
      expect(problems(await as('narrow'))).toEqual([]);
      await admin.close();
    } finally {
      await clickhouse.stop();
      await rm(folder, { recursive: true });
    }
  });
});
