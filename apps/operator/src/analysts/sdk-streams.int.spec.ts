import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { findMigrations } from '@sluice/operations';
import { insert } from './story.spec-support.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `streams_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
const source = 'AbCdEf123456';

beforeAll(async () => {
  await migrate(config, await findMigrations());
});
beforeEach(async () => {
  for (const table of ['events', 'identifies']) await client.command({ query: `TRUNCATE TABLE ${table}` });
});
afterAll(async () => {
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await client.close();
});

type Row = Readonly<Record<string, unknown>>;
interface Sdk {
  stream?: unknown;
  seq?: unknown;
  lost?: number;
  version?: string;
}

/** A message that an SDK sent at noon. */
const aMessage = (sdk: Sdk, columns: Row = {}): Row => ({
  source_id: source,
  message_id: randomUUID(),
  request_id: randomUUID(),
  anonymous_id: 'a',
  timestamp: '2026-03-02T12:00:00.000Z',
  received_at: '2026-03-02T12:00:01.000Z',
  context: { sdk: { name: 'sluice-web', version: '1.0.0', device: 'd', stream: 's', lost: 0, ...sdk } },
  ...columns,
});
const anEvent = (sdk: Sdk, columns: Row = {}): Row => aMessage(sdk, { event: 'e', ...columns });

async function streams(columns: string, range = `from = '2026-03-01', to = '2026-04-01'`): Promise<unknown[]> {
  const query = `SELECT ${columns} FROM sdk_streams(source = '${source}', ${range}) ORDER BY device, stream`;
  const clickhouse_settings = { output_format_json_quote_64bit_integers: 0 } as const;
  return (await client.query({ query, format: 'JSONEachRow', clickhouse_settings })).json();
}
const counts = 'first_seq, last_seq, messages, gaps, doubled';

it('shows all of a stream whose messages came in any order, as events and as identifies', async () => {
  await insert(client, { events: [anEvent({ seq: 3, lost: 2, version: '1.1.0' }), anEvent({ seq: 0 })] });
  const later = { received_at: '2026-03-05T00:00:00.000Z' };
  await insert(client, { events: [anEvent({ seq: 1 }, later)], identifies: [aMessage({ seq: 2 })] });
  expect(await streams('*')).toEqual([
    {
      source_id: source,
      device: 'd',
      stream: 's',
      sdk_name: 'sluice-web',
      sdk_version: '1.1.0',
      first_received: '2026-03-02 12:00:01.000',
      last_received: '2026-03-05 00:00:00.000',
      first_seq: 0,
      last_seq: 3,
      messages: 4,
      gaps: 0,
      doubled: 0,
      lost: 2,
    },
  ]);
});

it('shows gaps in the middle and at the start', async () => {
  await insert(client, { events: [2, 3, 6].map((seq) => anEvent({ seq })) });
  expect(await streams(counts)).toEqual([{ first_seq: 2, last_seq: 6, messages: 3, gaps: 4, doubled: 0 }]);
});

it('keeps streams apart, also those of one name on two devices', async () => {
  const otherDevice = { context: { sdk: { device: 'other', stream: 's', seq: 1 } } };
  await insert(client, { events: [anEvent({ seq: 0 }), anEvent({ stream: 't', seq: 0 }), anEvent({}, otherDevice)] });
  expect(await streams('device, stream, gaps, sdk_name')).toEqual([
    { device: 'd', stream: 's', gaps: 0, sdk_name: 'sluice-web' },
    { device: 'd', stream: 't', gaps: 0, sdk_name: 'sluice-web' },
    { device: 'other', stream: 's', gaps: 1, sdk_name: '' },
  ]);
});

it('counts a number with two message ids as doubled, not a copy of one message', async () => {
  const message = anEvent({ seq: 0 });
  await insert(client, { events: [message] });
  await insert(client, { events: [{ ...message, received_at: '2026-03-20T00:00:00.000Z' }, anEvent({ seq: 1 })] });
  expect(await streams(counts)).toEqual([{ first_seq: 0, last_seq: 1, messages: 2, gaps: 0, doubled: 0 }]);

  await insert(client, { identifies: [aMessage({ seq: 1 })] });
  expect(await streams(counts)).toEqual([{ first_seq: 0, last_seq: 1, messages: 2, gaps: 0, doubled: 1 }]);
});

it('has the whole of each stream that began to arrive in the range, whatever times its client sent', async () => {
  const wrong = { timestamp: '1999-01-01T00:00:00.000Z' };
  await insert(client, {
    events: [anEvent({ seq: 0 }, wrong), anEvent({ seq: 1 }, { received_at: '2026-03-09T00:00:00.000Z' })],
  });
  const range = (from: string, to: string) => streams(counts, `from = '2026-03-${from}', to = '2026-03-${to}'`);
  expect(await range('02', '03')).toEqual([{ first_seq: 0, last_seq: 1, messages: 2, gaps: 0, doubled: 0 }]);
  expect(await range('03', '10')).toEqual([]);
  expect(await range('01', '02')).toEqual([]);
});

it.each([{ seq: -1 }, { seq: '0' }, { seq: 1.5 }, { seq: null }, { stream: 5, seq: 0 }, { stream: null, seq: 0 }])(
  'leaves out what no SDK sends: %j',
  async (sdk) => {
    await insert(client, {
      events: [anEvent(sdk), anEvent({}, { context: { sdk: 'mine' } }), anEvent({}, { context: {} })],
    });
    expect(await streams('*')).toEqual([]);
  },
);

it('leaves out other sources', async () => {
  await insert(client, { events: [anEvent({ seq: 0 }, { source_id: 'GhIjKl789012' })] });
  expect(await streams('*')).toEqual([]);
});
