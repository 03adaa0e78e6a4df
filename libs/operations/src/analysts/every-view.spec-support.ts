import { randomUUID } from 'node:crypto';
import { BlockWriter, type createClickHouse } from '@sluice/clickhouse';
import { Random } from '@sluice/testing';
import fc from 'fast-check';
import { randomMessages, source, store } from './linked-people.spec-support.js';

export { source };

/** Every view with a range, and what else it takes. */
export const viewsWithRange = [
  ['sessions', ''],
  ['retention', ''],
  ['product_performance', `, catalog = '${source}'`],
  ['events_with_offers', `, catalog = '${source}'`],
  ['plan_violations', ''],
  ['plan_coverage', ''],
  ['sdk_streams', ''],
] as const;

const rangeOfData = `from = '2026-02-01', to = '2026-06-01'`;

/** All columns of every view; the time zone of a reader must not be in the answer's text, so all times are UTC. */
export const everyView: readonly string[] = [
  ...['availability', 'bots', 'category_paths', 'event_counts', 'freshness', 'identity_claims', 'identity_links'],
  ...['product_offers', 'push_campaign_stats', 'user_traits', 'current_categories', 'current_general_entities'],
  ...['current_product_variants', 'current_products', 'current_push_devices', 'current_push_interactions'],
  ...[
    'current_sellers',
    'variant_history',
    `event_clients(source = '${source}')`,
    `events_resolved(source = '${source}')`,
  ],
  `catalog_issues(source = '${source}', catalog = '${source}', days = '30')`,
  ...['u-1', 'x-1', 'a-3', 'sent'].map((person) => `user_timeline(source = '${source}', person = '${person}')`),
  ...viewsWithRange.map(([view, parameters]) => `${view}(source = '${source}', ${rangeOfData}${parameters})`),
].map((view) => `SELECT * FROM ${view}`);

/** Whatever JSON has, as far as it is stored as it was sent: docs/api.md#free-form-values. */
const free = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(0, 7, -3, 2 ** 53 - 1, 0.5, -1.25, 1e-7, 1e300),
    fc.constantFrom('x', '', '7', 'true', '2026-03-01', '2026-03-01T00:00:00Z', '[1,"a"]', 'ی', "'\\\n"),
    fc.boolean(),
    tie('object'),
    fc.array(fc.oneof({ maxDepth: 4 }, tie('value'), fc.constant(null)), { maxLength: 4 }),
  ),
  object: fc.dictionary(fc.constantFrom('total', 'items', 'plan', 'a b', 'product_id'), tie('value'), {
    minKeys: 1,
    maxKeys: 4,
  }),
})).object;

const kinds = [
  'string',
  true,
  'NaN',
  'inf',
  { a: 1 },
  [1, 'x'],
  [true, 'x', null],
  [1.5, false],
  ['', false],
  10.5,
  3,
  '2026-03-01',
];

const ofEveryProperty = (value: unknown): Record<string, unknown> =>
  Object.fromEntries(['total', 'product_id', 'city', 'items', 'plan', '_more_names'].map((name) => [name, value]));

/** Objects to be stored: random ones, and each property that docs/tables.md reads with each kind of value. */
export function sentObjects(seed: number, count: number): Record<string, unknown>[] {
  const random = fc.sample(free, { seed, numRuns: count });
  return [...random, ...kinds.map(ofEveryProperty)].map((object, n) => ({ ...object, n }));
}

const agents = ['Googlebot/2.1', 'Mozilla/5.0 Firefox/140.0'];
const time = (hour: number): string => new Date(Date.parse('2026-03-01T00:00:00Z') + hour * 3_600_000).toISOString();

type Rows = Record<string, Record<string, unknown>[]>;

const aRow = (hour: number): Record<string, unknown> => ({
  ...{ source_id: source, message_id: randomUUID(), request_id: randomUUID() },
  ...{ received_at: time(hour), timestamp: time(hour) },
});
const entity = (n: number): Record<string, unknown> => ({ ...aRow(n), version: n + 1 });

/** Tables of entities, with the columns of their ids. */
const entityTables = {
  products: 'product_id',
  product_variants: 'variant_id',
  sellers: 'seller_id',
  categories: 'category_id',
  general_entities: 'id',
} as const;

/** States of entities, or their deletions, which must be in a later INSERT. */
const goneRows = (table: keyof typeof entityTables, isDeleted: boolean): Record<string, unknown>[] =>
  [0, 1].map((n) => ({
    ...{ ...entity(n), version: isDeleted ? 2 : 1, [entityTables[table]]: `gone-${n}`, is_deleted: isDeleted },
    ...(isDeleted ? {} : { is_available: true, is_buy_box_winner: true, product_id: `gone-${n}` }),
  }));

function makeCatalog(objects: readonly Record<string, unknown>[]): Rows {
  return {
    products: objects.map((attributes, n) => ({
      ...{
        ...entity(n),
        product_id: `p-${n}`,
        name: `Lamp ${n}`,
        brand: 'Acme',
        category_id: `c-${n % 6}`,
        attributes,
      },
      ...{ is_available: n % 3 !== 0, total_stock: n },
    })),
    product_variants: objects.map((attributes, n) => ({
      ...{
        ...entity(n),
        variant_id: `v-${n}`,
        product_id: `p-${(n % 30) + 5}`,
        seller_id: `s-${n % 7}`,
        price: '10.5',
      },
      ...{ discounted_price: n % 2 ? '9.123456789' : null, stock: n, is_available: n % 4 > 0 },
      ...{ is_buy_box_winner: n % 5 === 0, attributes },
    })),
    sellers: objects.slice(0, 5).map((attributes, n) => ({ ...entity(n), seller_id: `s-${n}`, attributes })),
    // A root, a child of it, an orphan and a circle.
    categories: ['', 'c-0', 'gone', 'c-4', 'c-5', 'c-1'].map((parent_category_id, n) => ({
      ...{ ...entity(n), category_id: `c-${n}`, name: `Category ${n}`, parent_category_id },
    })),
    general_entities: objects.map((data, n) => ({ ...entity(n), id: `e-${n}`, type: 'store', data })),
  };
}

/** Rows of every table that a view reads, with `objects` in each column of type JSON. */
function makeRows(random: Random, objects: readonly Record<string, unknown>[]): Rows {
  const plan = (n: number): Record<string, unknown> => ({
    plan_version: n % 3,
    violations: n % 3 === 1 ? [random.pick(['wrong_type:total', 'unknown_event', 'missing:items[].price'])] : [],
  });
  const sdk = (n: number): Record<string, unknown> => ({
    sdk: { device: 'd', stream: `s-${Math.floor(n / 4)}`, seq: n, name: 'web', version: '1.2', lost: n % 5 },
  });
  return {
    events: objects.map((properties, n) => ({
      ...{ ...aRow(n), ...plan(n), properties, context: n % 2 ? properties : sdk(n), user_id: 'sent' },
      ...{ event: n % 7 ? 'order_completed' : 'bb_notification_clicked', user_agent: agents[n % 2] },
      product_ids: [`p-${n % 9}`, `p-${n % 4}`],
    })),
    identifies: objects.map((traits, n) => ({
      ...{ ...aRow(n), ...plan(n), traits, context: sdk(n + 1), user_id: `sent-${n}` },
    })),
    user_agents: [
      { user_agent: agents[0], device: 'bot', is_bot: true, bot_name: 'Googlebot', is_parsed: true, parser_version: 1 },
      { user_agent: agents[1], browser: 'Firefox', browser_major: 140, is_parsed: true, parser_version: 1 },
    ],
    refused_messages: objects.map((_, n) => ({
      ...{ ...aRow(n), kind: 'track', event: 'order_completed', reason: 'plan', plan_version: 1, user_id: 'sent' },
      violations: ['wrong_type:total'],
    })),
    ad_requests: objects.map((body, n) => ({ ...aRow(n), endpoint: 'ad', body })),
    ...makeCatalog(objects),
    push_devices: objects.map((_, n) => ({
      ...{ ...aRow(n), device_id: `d-${n % 9}`, key: `k-${n % 20}`, sdk: 'WEB', registered_at: time(n) },
    })),
    push_interactions: objects.map((_, n) => ({
      ...{ ...aRow(n), campaign_id: 'spring', notification_id: `n-${n % 20}`, profile_id: n % 2 ? 'sent' : 'u-1' },
      ...{ interaction: random.pick(['delivered', 'clicked', 'failed']), issued_at: time(0), occurred_at: time(n) },
      ...{ url: 'https://shop/2026-03-01', action_id: '2026-03-01', channel: 'web-push', reported_by: ['event'] },
    })),
  };
}

/** Fills every table by the INSERTs of the consumers; people with links are those of linked-people.spec-support.ts. */
export async function storeEverything(
  client: ReturnType<typeof createClickHouse>,
  seed: number,
  objects: readonly Record<string, unknown>[],
): Promise<void> {
  const random = new Random(seed);
  const messages = randomMessages(random, 300);
  await store(client, messages);
  await store(client, messages.slice(0, 100));
  const writer = new BlockWriter(client);
  const insert = async (table: string, values: readonly Record<string, unknown>[]): Promise<void> => {
    const rows = values.map((value, n) => ({
      ...{ value: Buffer.from(JSON.stringify(value)), offset: String(n), timestamp: '1772323200000' },
    }));
    for (const id of [randomUUID(), randomUUID()]) {
      const refused = await writer.insert(table, { id, partition: 1, rows });
      if (refused[0]) throw new Error(`${table} refused ${refused[0].reason}: ${refused[0].message.value.toString()}`);
    }
  };
  for (const [table, values] of Object.entries(makeRows(random, objects))) await insert(table, values);
  for (const table of Object.keys(entityTables) as (keyof typeof entityTables)[])
    for (const isDeleted of [false, true]) await insert(table, goneRows(table, isDeleted));
}
