import { readConfig } from '@sluice/service';
import { expect, it } from 'vitest';
import { clickhouseVariables, tableVariables } from './config.js';

const read = (environment: NodeJS.ProcessEnv) =>
  readConfig({ ...clickhouseVariables, ...tableVariables }, { CLICKHOUSE_URL: 'https://c:8443', ...environment });

it('reads days by table', () => {
  const days = read({ TABLE_TTL_DAYS: 'events=400, users=never' }).TABLE_TTL_DAYS;
  expect([...days]).toEqual([
    ['events', 400],
    ['users', 'never'],
  ]);
});

it.each([
  [{ TABLE_TTL_DAYS: 'events' }, /TABLE_TTL_DAYS: "events" must be a table/],
  [{ TABLE_TTL_DAYS: 'events=0' }, /TABLE_TTL_DAYS: "events=0" must be/],
  [{ CLICKHOUSE_DURABILITY: 'quorum' }, /CLICKHOUSE_CLUSTER: is required/],
  [{ CLICKHOUSE_DURABILITY: 'raid' }, /CLICKHOUSE_DURABILITY: Value "raid" not in choices/],
  [{ CLICKHOUSE_TLS_CERT_FILE: '/dev/null' }, /CLICKHOUSE_TLS_CA_FILE: is required[^]*CLICKHOUSE_TLS_KEY_FILE: is req/],
])('refuses %j', (environment, message) => expect(() => read(environment)).toThrow(message));
