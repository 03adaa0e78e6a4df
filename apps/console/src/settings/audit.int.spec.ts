import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { type AuditEntry } from '@sluice/console-api';
import { findMigrations } from '@sluice/operations';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { TestConsole } from '../test-console.spec-support.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `audit_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const clickhouse = createClickHouse(config);
const start = Date.parse('2026-01-01T00:00:00.000Z');
let site: TestConsole;
let cookie: string;

beforeAll(async () => {
  await migrate(config, await findMigrations());
  const entry = (n: number, operation: string, object = `o${n}`) =>
    ['intended', 'done'].map((outcome, i) => ({
      action_id: `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`,
      message_id: randomUUID(),
      outcome,
      received_at: start + Math.floor(n / 4) * 1_000 + i,
      actor: 'ann',
      role: 'admin',
      face: 'console',
      origin: '10.0.0.1',
      operation,
      object,
      details: '{}',
      error: '',
    }));
  const values = Array.from({ length: 30 }, (_, n) => entry(n, n % 3 === 0 ? 'payloads.read' : 'sources.create'));
  values.push(entry(99, 'sources.create', '=cmd|"x"'));
  const filter = JSON.stringify({ user: 'ann@shop.example', event: 'bought', text: 'secret' });
  const read = entry(200, 'payloads.read', 'events').map((one) => ({ ...one, actor: 'reader', details: filter }));
  values.push(read);
  await clickhouse.insert({ table: 'operator_actions', values: values.flat(), format: 'JSONEachRow' });
  site = await TestConsole.start({ CLICKHOUSE_DATABASE: config.CLICKHOUSE_DATABASE });
  ({ cookie } = await site.signIn('admin'));
}, 60_000);
afterAll(async () => {
  await site.stop();
  await clickhouse.close();
});

async function listed(query: string): Promise<AuditEntry[]> {
  const answer = await site.ask('GET', `/api/audit?${query}`, { cookie });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<AuditEntry[]>();
}

it('pages through entries of the same time, each once, with its outcome', async () => {
  const seen: string[] = [];
  let page = await listed('limit=7');
  while (page.length > 0) {
    expect(new Set(page.map(({ outcome }) => outcome))).toEqual(new Set(['done']));
    seen.push(...page.map(({ id }) => id));
    const last = page.at(-1);
    page = await listed(`limit=7&before=${last?.at ?? ''}&beforeId=${last?.id ?? ''}`);
  }
  expect(seen).toHaveLength(32);
  expect(new Set(seen).size).toBe(32);
});

it('lists changes and payload reads apart, and takes a range', async () => {
  expect(await listed('kind=reads')).toHaveLength(11);
  expect(await listed('kind=changes')).toHaveLength(21);
  const [from, to] = [start + 1_000, start + 2_000].map((time) => new Date(time).toISOString());
  expect((await listed(`from=${from}&to=${to}`)).map(({ object }) => object)).toEqual(['o7', 'o6', 'o5', 'o4']);
});

it('exports a file that no spreadsheet runs', async () => {
  const { headers, body } = await site.ask('GET', '/api/audit/export?kind=changes', { cookie });
  expect(headers['content-type']).toContain('text/csv');
  expect(body.trim().split('\r\n')).toHaveLength(22);
  expect(body).toContain(`"'=cmd|""x"""`);
});

it('hides the filters of unmasked reads from admins who see payloads masked', async () => {
  const [masked] = await listed('actor=reader');
  expect(masked?.details).not.toMatch(/ann@|secret/);
  expect(JSON.parse(masked?.details ?? '')).toMatchObject({ event: 'bought' });
  const { body } = await site.ask('GET', '/api/audit/export?actor=reader', { cookie });
  expect(body).not.toMatch(/ann@|secret/);

  const { cookie: other } = await site.signIn('admin', true);
  const answer = await site.ask('GET', '/api/audit?actor=reader', { cookie: other });
  expect(answer.body).toContain('ann@shop.example');
});
