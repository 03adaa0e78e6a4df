import { randomUUID } from 'node:crypto';
import { BlockWriter, createClickHouse, migrate, readMigrations } from '@sluice/clickhouse';
import { type DeviceRow, type InteractionRow } from '@sluice/contracts';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `push_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);
const writer = new BlockWriter(client);

beforeAll(async () => {
  await migrate(config, await readMigrations('push-interaction', new URL('../migrations/', import.meta.url)));
});
afterAll(async () => {
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await client.close();
});
beforeEach(async () => {
  for (const table of ['push_interactions', 'push_devices']) await client.command({ query: `TRUNCATE TABLE ${table}` });
});

const origin = (receivedAt = '2026-03-01T12:00:00.000Z') => ({
  source_id: 'AbCdEf123456',
  request_id: randomUUID(),
  received_at: receivedAt,
});

const anInteraction = (changes: Partial<InteractionRow> = {}): InteractionRow => ({
  ...origin(),
  campaign_id: 'spring',
  notification_id: 'n-1',
  interaction: 'clicked',
  variation_id: 'b',
  profile_id: 'p',
  channel: 'web-push',
  provider: 'fcm',
  issued_at: '2026-03-01T10:00:00.000Z',
  occurred_at: '2026-03-01T12:00:00.000Z',
  reported_by: ['callback'],
  ...changes,
});

const aDevice = (changes: Partial<DeviceRow> = {}): DeviceRow => ({
  ...origin(),
  device_id: 'd-1',
  key: 'k-1',
  registered_at: '2026-03-01T12:00:00.000Z',
  ...changes,
});

let nextOffset = 0;
/** Stores rows as one block with consecutive Kafka offsets. */
async function store(table: string, rows: readonly object[], id: string = randomUUID()): Promise<void> {
  const messages = rows.map((row) => ({
    value: Buffer.from(JSON.stringify(row)),
    offset: String(nextOffset++),
    timestamp: '1772366400000',
  }));
  await writer.insert(table, { id, partition: 3, rows: messages });
}

async function select<Row>(query: string): Promise<Row[]> {
  const settings = { output_format_json_quote_64bit_integers: 0 } as const;
  const result = await client.query({ query, format: 'JSONEachRow', clickhouse_settings: settings });
  return result.json<Row>();
}

const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => [Math.random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);

it('callback and event of one interaction become one row in any order', async () => {
  const callback = anInteraction({
    request_id: '00000000-0000-7000-8000-000000000001',
    button: 1,
    url: 'https://a/1',
    occurred_at: '2026-03-01T12:00:00.000Z',
  });
  const event = anInteraction({
    request_id: '00000000-0000-7000-8000-000000000002',
    received_at: '2026-03-04T00:00:00.000Z',
    reported_by: ['event'],
    occurred_at: '2026-03-01T11:59:59.500Z',
    url: 'https://a/2',
    action_id: 'buy',
    user_id: 'u-1',
    anonymous_id: 'a-1',
  });
  const cells = new Set<string>();
  for (const reports of [
    [callback, event],
    [event, callback],
    [event, callback, event, callback],
  ]) {
    await client.command({ query: 'TRUNCATE TABLE push_interactions' });
    for (const report of reports) await store('push_interactions', [report]);
    const rows = await select('SELECT * EXCEPT (stored_at, kafka_offset) FROM current_push_interactions');
    expect(rows).toMatchObject([
      {
        notification_id: 'n-1',
        interaction: 'clicked',
        campaign_id: 'spring',
        variation_id: 'b',
        occurred_at: '2026-03-01 11:59:59.500',
        received_at: '2026-03-01 12:00:00.000',
        button: 1,
        url: 'https://a/2',
        action_id: 'buy',
        reason: '',
        user_id: 'u-1',
        anonymous_id: 'a-1',
        reported_by: ['callback', 'event'],
        kafka_partition: 3,
      },
    ]);
    cells.add(JSON.stringify(rows));
    await client.command({ query: 'OPTIMIZE TABLE push_interactions FINAL' });
    const merged = await select('SELECT * EXCEPT (stored_at, kafka_offset) FROM current_push_interactions');
    cells.add(JSON.stringify(merged));
    expect(await select('SELECT count() AS n FROM push_interactions')).toEqual([{ n: 1 }]);
  }
  expect(cells.size).toBe(1);
});

it('distinguishes a tap on the body from an unknown button', async () => {
  await store('push_interactions', [anInteraction({ button: 0 }), anInteraction({ notification_id: 'n-2' })]);

  expect(await select('SELECT button FROM current_push_interactions ORDER BY notification_id')).toEqual([
    { button: 0 },
    { button: null },
  ]);
});

it('counts 10,000 interactions once when each is reported 1 to 5 times in any order and blocks are repeated', async () => {
  const kinds = ['delivered', 'clicked', 'closed', 'failed', 'opened'] as const;
  const truth = new Map<string, Record<string, number>>();
  const reports: InteractionRow[] = [];
  for (let i = 0; i < 10_000; i++) {
    const interaction = kinds[i % 5] ?? 'failed';
    const [campaign, day] = [`c-${i % 7}`, 1 + (i % 3)];
    const counts = truth.get(`${campaign} 2026-03-0${day}`) ?? Object.fromEntries(kinds.map((kind) => [kind, 0]));
    counts[interaction] = (counts[interaction] ?? 0) + 1;
    truth.set(`${campaign} 2026-03-0${day}`, counts);
    const times = 1 + Math.floor(Math.random() * 5);
    const first = Math.floor(Math.random() * times);
    for (let time = 0; time < times; time++) {
      // Reports can be days late; the earliest report determines the day.
      const occurred = time === first ? `0${day}` : `0${day + 1 + (time % 4)}`;
      const changes = { interaction, campaign_id: campaign, notification_id: `n-${Math.floor(i / 5)}` };
      const occurred_at = `2026-03-${occurred}T23:59:59.999Z`;
      reports.push(anInteraction({ ...changes, occurred_at, reported_by: [time % 2 ? 'event' : 'callback'] }));
    }
  }

  const waiting = shuffled(reports);
  while (waiting.length > 0) {
    const block = waiting.splice(0, 1 + Math.floor(Math.random() * 4_000));
    await store('push_interactions', block, `block-${waiting.length}`);
    // After a crash a block is stored again, with its id or, if cut differently, with another.
    await store('push_interactions', block, `block-${waiting.length}`);
    await store('push_interactions', block.slice(0, block.length >> 1));
  }

  const stats = `SELECT concat(campaign_id, ' ', toString(day)) AS cell, sum(delivered) AS delivered, sum(clicked) AS clicked,
    sum(closed) AS closed, sum(failed) AS failed, sum(opened) AS opened FROM push_campaign_stats GROUP BY cell`;
  const statsRows = await select<{ cell: string }>(stats);
  expect(new Map(statsRows.map(({ cell, ...counts }) => [cell, counts]))).toEqual(truth);
  await client.command({ query: 'OPTIMIZE TABLE push_interactions FINAL' });
  expect(await select('SELECT count() AS n FROM push_interactions')).toEqual([{ n: 10_000 }]);
  expect(await select(`${stats} ORDER BY cell`)).toEqual([...statsRows].sort((a, b) => (a.cell < b.cell ? -1 : 1)));
});

it('rates are based on reached or attempted notifications, even if no delivery was reported', async () => {
  const reportRow = (notification: number, interaction: InteractionRow['interaction'], campaign_id = 'spring') =>
    anInteraction({ notification_id: `n-${notification}`, interaction, campaign_id });
  const delivered = [1, 2, 3].map((n) => reportRow(n, 'delivered'));
  await store('push_interactions', [
    ...delivered,
    reportRow(4, 'failed'),
    reportRow(1, 'clicked'),
    reportRow(1, 'opened', 'other'),
  ]);

  expect(await select('SELECT * FROM push_campaign_stats ORDER BY campaign_id DESC')).toEqual([
    {
      source_id: 'AbCdEf123456',
      campaign_id: 'spring',
      variation_id: 'b',
      channel: 'web-push',
      provider: 'fcm',
      day: '2026-03-01',
      reached: 3,
      delivered: 3,
      clicked: 1,
      closed: 0,
      failed: 1,
      opened: 0,
      delivery_rate: 0.75,
      failure_rate: 0.25,
      click_rate: 1 / 3,
      close_rate: 0,
      open_rate: 0,
    },
    expect.objectContaining({
      campaign_id: 'other',
      reached: 1,
      delivered: 0,
      opened: 1,
      delivery_rate: 1,
      open_rate: 1,
    }),
  ]);
});

it('a device has its last registered token, in whatever order registrations come', async () => {
  const [first, second] = ['2026-03-01T12:00:00.000Z', '2026-03-02T12:00:00.000Z'];
  const registrations = [
    aDevice({ key: 'old', registered_at: first }),
    aDevice({ key: 'new', registered_at: second, user_id: 'u-2', sdk: 'WEB' }),
    aDevice({ device_id: 'd-2', user_id: 'before', registered_at: first }),
    aDevice({ device_id: 'd-2', user_id: 'after', registered_at: second }),
  ];
  for (const registration of shuffled([...registrations, ...registrations]))
    await store('push_devices', [registration]);

  const columns = 'device_id, key, user_id, sdk, registered_at';
  expect(await select(`SELECT ${columns} FROM current_push_devices ORDER BY device_id`)).toEqual([
    { device_id: 'd-1', key: 'new', user_id: 'u-2', sdk: 'WEB', registered_at: '2026-03-02 12:00:00.000' },
    { device_id: 'd-2', key: 'k-1', user_id: 'after', sdk: '', registered_at: '2026-03-02 12:00:00.000' },
  ]);
  expect(await select('SELECT device_id, key FROM push_devices FINAL')).toHaveLength(3);
});
