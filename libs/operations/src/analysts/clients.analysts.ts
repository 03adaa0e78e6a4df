import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import {
  type ClickHouseUser,
  findSqlExamples,
  fromMaven,
  fromPyPi,
  hasProgram,
  runProgram,
  type RunningClickHouse,
  startClickHouse,
} from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findMigrations } from '../status/migration-files.js';
import { sentObjects, storeEverything } from './every-view.spec-support.js';

// The examples of docs/analysts.md, by the clients that the page names, over odd values and 600 names.

const pageFile = fileURLToPath(new URL('../../../../docs/analysts.md', import.meta.url));
const page = readFileSync(pageFile, 'utf8');
const programs = fileURLToPath(new URL('programs', import.meta.url));
const [password, since] = ['secret', `'2026-02-01'`];
const frames = ['clickhouse-connect==1.12.0', 'pandas==3.1.1', 'polars==2.1.0', 'pyarrow==26.0.1'];

/** Grants that the page gives a user. */
const findGrants = (user: string): string[] =>
  [...page.matchAll(/^(GRANT .+?) TO (\w+);$/gm)].flatMap(([, grant = '', name]) => (name === user ? [grant] : []));
const users: ClickHouseUser[] = [
  { name: 'bi', password, grants: findGrants('bi'), isReader: true },
  { name: 'dbt', password, grants: findGrants('dbt') },
];

/** Three objects of 200 names each, with numbers and texts: more than a part of the table has columns for. */
const wide = [0, 1, 2].map((part) =>
  Object.fromEntries(
    Array.from({ length: 200 }, (_, n) => [`name_${part * 200 + n}`, n % 3 === 0 ? n + 0.5 : n % 3 === 1 ? n : `${n}`]),
  ),
);
const objects = [...sentObjects(11, 40), ...wide.map((names) => ({ ...names, total: 10.5 }))];

const folder = mkdtempSync(join(tmpdir(), 'sluice-analysts-'));
let server: RunningClickHouse;
let client: ReturnType<typeof createClickHouse>;
beforeAll(async () => {
  server = await startClickHouse({ dataDir: join(folder, 'clickhouse'), users });
  const config = {
    ...{ CLICKHOUSE_URL: server.url, CLICKHOUSE_DATABASE: 'sluice' },
    ...{ CLICKHOUSE_USER: 'default', CLICKHOUSE_PASSWORD: '' },
  };
  await migrate(config, await findMigrations());
  client = createClickHouse(config);
  await storeEverything(client, 11, objects);
});
afterAll(async () => {
  await client.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function select<Row>(query: string): Promise<Row[]> {
  return (await client.query({ query, format: 'JSONEachRow' })).json<Row>();
}
const port = (): string => new URL(server.url).port;
const isOrder = `source_id = 'AbCdEf123456' AND event = 'order_completed'`;

interface Report {
  /** Types of `timestamp` in pandas and in polars. */
  times: string[];
  total: string;
  orders: number;
  objects: Record<string, unknown>;
  frame: unknown[];
  is_whole_right: boolean;
}

it('pandas, polars and Arrow read every value by the ways of the page', { timeout: 600_000 }, async ({ skip }) => {
  if (!hasProgram('python3')) skip('there is no python3');
  const bin = fromPyPi('analysts/frames-1', frames);
  const env = { PORT: port(), DATABASE: 'sluice' };
  const report = JSON.parse(
    runProgram(join(bin, 'python'), ['-W', 'ignore', join(programs, 'frames.py'), pageFile, since], folder, env),
  ) as Report;
  const rows = await select<{ id: string; text: string }>(
    `SELECT toString(message_id) AS id, toJSONString(properties) AS text FROM events FINAL WHERE ${isOrder}`,
  );
  expect(report.times).toEqual(['datetime64[ms]', "Datetime(time_unit='ms', time_zone=None)"]);
  expect(report.orders).toBe(rows.length);
  expect(report.objects).toEqual(Object.fromEntries(rows.map(({ id, text }) => [id, JSON.parse(text) as unknown])));
  const all = await select<{ text: string }>('SELECT toJSONString(properties) AS text FROM events FINAL');
  const sortValues = (values: readonly unknown[]): string[] => values.map((value) => JSON.stringify(value)).sort();
  expect(sortValues(report.frame)).toEqual(sortValues(all.map(({ text }) => JSON.parse(text) as unknown)));
  const [sum] = await select<{ total: string }>(
    `SELECT toString(sum(accurateCastOrNull(properties.total, 'Decimal(38, 9)'))) AS total FROM events FINAL WHERE ${isOrder}`,
  );
  expect(Number(report.total)).toBe(Number(sum?.total));
  // The page warns of this fault. Once it is gone, the page can be shorter.
  expect(report.is_whole_right).toBe(false);
});

it('the JDBC driver reads the text views, by their user alone', { timeout: 600_000 }, async ({ skip }) => {
  if (!hasProgram('mvn')) skip('there is no Maven');
  const examples = findSqlExamples(page);
  expect(examples.length).toBeGreaterThan(2);
  for (const query of examples) await client.command({ query });
  const jars = fromMaven('analysts/jdbc-1', ['com.clickhouse:clickhouse-jdbc:0.9.8']);
  const read = (user: string, query: string): string => {
    const args = ['-cp', jars, join(programs, 'Jdbc.java'), `jdbc:clickhouse://127.0.0.1:${port()}/`];
    return runProgram('java', [...args, user, user === 'default' ? '' : password, query], folder);
  };
  for (const table of ['events', 'identifies', 'user_traits']) {
    const [{ rows } = { rows: '' }] = await select<{ rows: string }>(
      `SELECT toString(count()) AS rows FROM bi.${table}`,
    );
    expect(read('bi', `SELECT * FROM bi.${table}`)).toContain(`${rows} rows of `);
  }
  expect(() => read('bi', 'SELECT user_id FROM sluice.events')).toThrow('Not enough privileges');
  // The page warns of this fault. Once it is gone, the page can be shorter.
  expect(() => read('default', 'SELECT properties FROM sluice.events')).toThrow('Failed to read');
});

it('dbt builds the model of the page, with the rights of the page', { timeout: 600_000 }, async ({ skip }) => {
  if (!hasProgram('python3')) skip('there is no python3');
  const bin = fromPyPi('analysts/dbt-1', ['dbt-core==1.11.16', 'dbt-clickhouse==1.10.3']);
  const project = join(folder, 'project');
  mkdirSync(join(project, 'models'), { recursive: true });
  const [, profile = ''] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? [];
  const [, model = ''] = /^```jinja\n(.*?)^```$/ms.exec(page) ?? [];
  writeFileSync(
    join(project, 'profiles.yml'),
    profile.replace('clickhouse.example', '127.0.0.1').replace('8123', port()),
  );
  writeFileSync(join(project, 'models', 'daily_orders.sql'), model);
  writeFileSync(
    join(project, 'dbt_project.yml'),
    'name: sluice\nversion: 1.0.0\nprofile: sluice\nmodel-paths: [models]\nflags: { send_anonymous_usage_stats: false }\n',
  );
  expect(runProgram(join(bin, 'dbt'), ['run', '--profiles-dir', '.'], project)).toContain('Completed successfully');
  const [built] = await select(
    'SELECT sum(orders) AS orders, toString(sum(turnover)) AS turnover FROM dbt.daily_orders',
  );
  const [truth] = await select(
    `SELECT count() AS orders, toString(sum(accurateCastOrNull(properties.total, 'Decimal(38, 9)'))) AS turnover FROM events FINAL WHERE ${isOrder}`,
  );
  expect(built).toEqual(truth);
});
