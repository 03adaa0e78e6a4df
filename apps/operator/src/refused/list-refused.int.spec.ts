import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { findMigrations } from '@sluice/operations';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it, vi } from 'vitest';
import { json, operator } from '../operator.spec-support.js';
import { type Refusals } from './refusals.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `refused_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const clickhouse = createClickHouse(config);
const requestId = randomUUID();

const aRow = (row: Record<string, unknown>) => ({
  source_id: 'AbCdEf123456',
  kind: 'refused',
  reason: 'error.request.invalid',
  requests: 1,
  status: 400,
  method: 'POST',
  route: '/track',
  request_id: requestId,
  message_id: randomUUID(),
  received_at: new Date().toISOString(),
  kafka_timestamp: new Date().toISOString(),
  ...row,
});
const aCount = (requests: number, row: Record<string, unknown> = {}) =>
  aRow({ kind: 'count', counted: 'refused', requests, ...row });

beforeAll(async () => {
  await migrate(config, await findMigrations());
  const oldTime = new Date(Date.now() - 7_200_000).toISOString();
  await clickhouse.insert({
    table: 'refused_requests',
    values: [
      aRow({ problems: '[{"field":"event","message":"must\\u001b be there"}]', body: 'secret' }),
      aRow({ source_id: '', reason: 'error.request.unauthorized', status: 401, received_at: oldTime }),
      aCount(3),
      aCount(4),
      aCount(1, { source_id: '', reason: 'error.request.unauthorized', received_at: oldTime }),
    ],
    format: 'JSONEachRow',
    clickhouse_settings: { date_time_input_format: 'best_effort' },
  });
});
afterAll(() => clickhouse.close());
beforeEach(() => {
  vi.stubEnv('SLUICE_DATA_DIR', '/no/such/folder');
  vi.stubEnv('CLICKHOUSE_URL', config.CLICKHOUSE_URL);
  vi.stubEnv('CLICKHOUSE_DATABASE', config.CLICKHOUSE_DATABASE);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

it('counts refusals exactly, and shows the newest samples without their bodies', async () => {
  const refusals = await json<Refusals>('refused', 'list');

  expect(refusals.counts).toMatchObject([
    { sourceIdentifier: 'AbCdEf123456', kind: 'refused', reason: 'error.request.invalid', count: 7 },
    { sourceIdentifier: '', kind: 'refused', reason: 'error.request.unauthorized', count: 1 },
  ]);
  expect(refusals.samples).toMatchObject([{ requestId, status: 400, problems: [{ field: 'event' }] }, { status: 401 }]);
  expect(JSON.stringify(refusals)).not.toContain('secret');

  const { exitCode, stdout } = await operator('refused', 'list');
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^7 +AbCdEf123456 +refused /m);
  for (const text of [requestId, 'event: must  be there', '(unknown)']) expect(stdout).toContain(text);
});

it('is narrowed by source, time and number', async () => {
  const source = await json<Refusals>('refused', 'list', '--source', 'AbCdEf123456');
  expect([source.counts.length, source.samples.length]).toEqual([1, 1]);
  expect((await json<Refusals>('refused', 'list', '--since', '1h')).samples).toHaveLength(1);
  expect((await json<Refusals>('refused', 'list', '--limit', '1')).samples).toMatchObject([{ status: 400 }]);
  const { stdout } = await operator('refused', 'list', '--source', 'nobody');
  expect(stdout).toMatch(/^Nothing was refused since .* UTC\.\n$/);
});

it.each([
  ['--since', 'yesterday', '--since must be a time like'],
  ['--limit', '0', '--limit must be a whole number'],
])('refuses %s %s, in one line', async (option, value, message) => {
  const { exitCode, stdout, stderr } = await operator('refused', 'list', option, value);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toMatch(/^error: [^\n]*\n$/);
  expect(stderr).toContain(message);
});
