import { randomUUID } from 'node:crypto';
import { type createClickHouse } from '@sluice/clickhouse';

/** The shop of the story, and another shop in which the same ids belong to other people. */
export const shop = 'AbCdEf123456';
export const otherShop = 'GhIjKl789012';

type Row = Readonly<Record<string, unknown>>;

/** Rows by table. */
export type Story = Readonly<Record<string, readonly Row[]>>;

/** A row that arrived at the time of its event and was stored two seconds later. */
const aRow = (time: string, columns: Row): Row => ({
  source_id: shop,
  request_id: randomUUID(),
  received_at: time,
  stored_at: new Date(Date.parse(time) + 2_000).toISOString(),
  ...columns,
});

const anEvent = (time: string, event: string, columns: Row = {}): Row =>
  aRow(time, { event, timestamp: time, message_id: randomUUID(), ...columns });

const anIdentify = (time: string, columns: Row): Row =>
  aRow(time, { timestamp: time, message_id: randomUUID(), ...columns });

const aPush = (time: string, interaction: string, columns: Row): Row =>
  aRow(time, {
    campaign_id: 'spring',
    notification_id: 'n-1',
    variation_id: 'b',
    profile_id: 'u-1',
    channel: 'web-push',
    provider: 'fcm',
    issued_at: '2026-03-02T09:00:00.000Z',
    occurred_at: time,
    interaction,
    reported_by: ['callback'],
    ...columns,
  });

const aProduct = (product_id: string, name: string): Row =>
  aRow('2026-03-01T00:00:00.000Z', {
    product_id,
    name,
    brand: 'Acme',
    category_id: 'c-1',
    is_available: true,
    version: 1,
  });

/**
 * One visitor browses as a-1, signs in as u-1 and orders after a pause. Another visitor, a-2, never signs in. Later u-2
 * signs in on the first visitor's device.
 */
export const story: Story = {
  events: [
    anEvent('2026-03-02T10:00:00.000Z', 'page_viewed', { anonymous_id: 'a-1' }),
    anEvent('2026-03-02T10:10:00.000Z', 'product_viewed', { anonymous_id: 'a-1', properties: { product_id: 'p-1' } }),
    anEvent('2026-03-02T10:25:00.000Z', 'product_added', {
      user_id: 'u-1',
      anonymous_id: 'a-1',
      properties: { product_id: 'p-1', quantity: 2 },
    }),
    anEvent('2026-03-02T11:00:00.000Z', 'order_completed', {
      user_id: 'u-1',
      anonymous_id: 'a-1',
      properties: {
        total: 19.5,
        products: [{ productId: 'p-1', quantity: 2 }, { productId: 7 }, { productId: 'p-1' }],
      },
    }),
    anEvent('2026-03-03T10:00:00.000Z', 'page_viewed', { user_id: 'u-1' }),
    // The first pause is a millisecond shorter than half an hour, the second is half an hour.
    anEvent('2026-03-02T12:00:00.000Z', 'product_viewed', { anonymous_id: 'a-2', properties: { productId: 'p-9' } }),
    anEvent('2026-03-02T12:29:59.999Z', 'page_viewed', { anonymous_id: 'a-2' }),
    anEvent('2026-03-02T12:59:59.999Z', 'page_viewed', { anonymous_id: 'a-2' }),
    // The event of the SDK for the push interaction below.
    anEvent('2026-03-03T09:00:05.000Z', 'bb_notification_clicked', { user_id: 'u-1', properties: { id: 'token' } }),
    // The token of this event did not open, so there is no interaction for it.
    anEvent('2026-03-03T11:00:00.000Z', 'bb_notification_clicked', { user_id: 'u-1', properties: { id: 'foreign' } }),
    anEvent('2026-03-02T10:00:00.000Z', 'page_viewed', { source_id: otherShop, anonymous_id: 'a-1' }),
    anEvent('2026-03-02T10:05:00.000Z', 'product_viewed', {
      source_id: otherShop,
      user_id: 'u-1',
      properties: { product_id: 'p-1' },
    }),
  ],
  identifies: [
    anIdentify('2026-03-02T10:20:00.000Z', { user_id: 'u-1', anonymous_id: 'a-1', traits: { plan: 'free', age: 30 } }),
    anIdentify('2026-03-03T10:00:01.000Z', { user_id: 'u-1', traits: { plan: 'pro' } }),
    anIdentify('2026-03-04T10:00:00.000Z', { user_id: 'u-2', anonymous_id: 'a-1', traits: { plan: 'team' } }),
    anIdentify('2026-03-02T09:00:00.000Z', {
      source_id: otherShop,
      user_id: 'u-9',
      anonymous_id: 'a-1',
      traits: { plan: 'other' },
    }),
  ],
  push_interactions: [
    aPush('2026-03-03T09:00:00.000Z', 'delivered', {}),
    aPush('2026-03-03T09:00:05.000Z', 'clicked', {
      user_id: 'u-1',
      url: 'https://shop/p-1',
      reported_by: ['callback', 'event'],
    }),
    aPush('2026-03-03T09:00:00.000Z', 'delivered', { notification_id: 'n-2', profile_id: 'someone-else' }),
  ],
  products: [aProduct('p-1', 'Lamp'), { ...aProduct('p-1', 'Other lamp'), source_id: otherShop }],
  // The lamp is offered for 5, then for 4.
  product_variants: ['5', '4'].map((price, index) => ({
    ...aRow(`2026-03-0${index + 1}T00:00:00.000Z`, { variant_id: 'v-1', product_id: 'p-1', price }),
    ...{ version: Date.parse(`2026-03-0${index + 1}T00:00:00Z`) * 1_000, is_buy_box_winner: true },
  })),
  categories: [aRow('2026-03-01T00:00:00.000Z', { category_id: 'c-1', name: 'Light', level: 1, version: 1 })],
};

/** The same messages after a replay of Kafka: stored again a week later. */
export const replayed: Story = Object.fromEntries(
  Object.entries(story).map(([table, rows]) => [
    table,
    rows.map((row) => ({ ...row, stored_at: '2026-03-09T00:00:00.000Z' })),
  ]),
);

/** Inserts the rows without deduplication: a second call stores every row twice, as after a replay. */
export async function insert(client: ReturnType<typeof createClickHouse>, rowsByTable: Story): Promise<void> {
  for (const [table, values] of Object.entries(rowsByTable)) {
    const clickhouse_settings = { date_time_input_format: 'best_effort', insert_deduplicate: 0 } as const;
    await client.insert({ table, values, format: 'JSONEachRow', clickhouse_settings });
  }
}
