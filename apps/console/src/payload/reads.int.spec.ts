import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { type AuditEntry, type RefusedDetail } from '@sluice/console-api';
import { CompactedTopicFollower, createKafka } from '@sluice/kafka';
import { Audit, findMigrations } from '@sluice/operations';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { TestConsole } from '../test-console.spec-support.js';
import { Reads } from './reads.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `reads_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const clickhouse = createClickHouse(config);
const requestId = randomUUID();
let site: TestConsole;

beforeAll(async () => {
  await migrate(config, await findMigrations());
  const origin = { request_id: requestId, message_id: randomUUID(), received_at: Date.now() };
  const body = '{"email":"ann@shop.example"}';
  const values = [
    { ...origin, source_id: 'AbCdEf123456', kind: 'refused', reason: 'r', requests: 1, status: 400, body },
  ];
  await clickhouse.insert({ table: 'refused_requests', values, format: 'JSONEachRow' });
  site = await TestConsole.start({ CLICKHOUSE_DATABASE: config.CLICKHOUSE_DATABASE });
});
afterAll(async () => {
  await site.stop();
  await clickhouse.close();
});

type Row = Pick<AuditEntry, 'actor' | 'operation' | 'object' | 'outcome' | 'details'>;

async function readsBy(actors: readonly string[]): Promise<Row[]> {
  const rows: Row[] = [];
  const take = ({ value }: { value: Buffer | null }): void => {
    rows.push(JSON.parse(String(value)) as Row);
  };
  const kafka = createKafka({ KAFKA_BROKERS: inject('kafkaBrokers') }, 'test');
  const follower = new CompactedTopicFollower(kafka, 'audit.v1', () => ({ take, caughtUp: () => undefined }));
  await follower.start();
  await follower.stop();
  return rows.filter(({ actor, operation }) => operation === 'payloads.read' && actors.includes(actor));
}

it('records who reads a payload unmasked, once for many reads, and nobody who reads it masked', async () => {
  const open = await site.signIn('viewer', true);
  const masked = await site.signIn('viewer');
  const read = async ({ cookie }: { cookie: string }): Promise<string> =>
    (await site.ask('GET', `/api/refused/${requestId}`, { cookie })).json<RefusedDetail>().body?.json ?? '';

  expect(await Promise.all([read(open), read(open), read(open)])).toEqual(
    Array(3).fill(expect.stringContaining('ann@')),
  );
  expect(await read(masked)).not.toContain('ann@');

  expect(await readsBy([open.id, masked.id])).toMatchObject([
    { actor: open.id, operation: 'payloads.read', object: requestId, outcome: 'done' },
  ]);
});

it('records that a person was looked for, never whom', async () => {
  const open = await site.signIn('viewer', true);
  for (const filter of ['user=u-4711', 'text=u-4711', 'event=signed_up'])
    expect((await site.ask('GET', `/api/events?${filter}`, { cookie: open.cookie })).statusCode).toBe(200);

  const rows = await readsBy([open.id]);
  expect(rows.map(({ object, details }) => [object, details])).toEqual([
    ['events', '{"user":"…"}'],
    ['events', '{"text":"…"}'],
    ['events', '{"event":"signed_up"}'],
  ]);
  expect(JSON.stringify(rows)).not.toContain('4711');
});

it('shows masks when the read cannot be recorded', async () => {
  const audit = new Audit(createKafka({ KAFKA_BROKERS: ['127.0.0.1:1'] }, 'test'));
  const user = {
    id: 'u',
    name: 'u',
    role: 'viewer',
    payloads: true,
    privacy: false,
    address: '',
    sessionEndsAt: 0,
    hasPassword: false,
  } as const;

  expect(await new Reads(audit).as(user, { object: 'x' })).toMatchObject({ id: 'u', payloads: false });
  await audit.stop();
});
