import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { Random } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { findMigrations } from '../status/migration-files.js';

// Offers that a product page showed at the time of an event: the views against a program that looks at every state.

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `offers_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);

beforeAll(async () => {
  await migrate(config, await findMigrations());
});
afterAll(async () => {
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await client.close();
});

const start = Date.parse('2026-03-01T00:00:00Z');
/** Few moments, so that states and events meet at the same one. */
const maxMs = 400;

interface State {
  variant_id: string;
  /** Microseconds since 1970. */
  version: number;
  product_id: string;
  seller_id: string;
  price: number;
  discounted_price: number | null;
  stock: number;
  is_available: boolean;
  is_buy_box_winner: boolean;
  is_deleted: boolean;
}

interface SeenProduct {
  product_id: string;
  message_id: string;
  /** Milliseconds since 1970. */
  time: number;
}

function makeState(random: Random): State {
  const isDeleted = random.chance(1 / 8);
  const facts = {
    product_id: `p-${1 + random.below(3)}`,
    seller_id: `s-${1 + random.below(2)}`,
    price: 1 + random.below(3),
    discounted_price: random.pick([null, 0, 1]),
    stock: random.below(2),
    is_available: random.chance(2 / 3),
    is_buy_box_winner: random.chance(2 / 3),
  };
  const empty = { product_id: '', seller_id: '', price: 0, discounted_price: null, stock: 0 };
  return {
    variant_id: `v-${1 + random.below(6)}`,
    version: (start + random.below(maxMs)) * 1_000 + random.pick([0, 0, 1, 999]),
    ...(isDeleted ? { ...empty, is_available: false, is_buy_box_winner: false } : facts),
    is_deleted: isDeleted,
  };
}

/** States in a random order, one for each variant and version, as a message has one state however often it comes. */
function makeStates(random: Random, count: number): State[] {
  const states = Array.from({ length: count }, () => makeState(random));
  return [...new Map(states.map((state) => [`${state.variant_id} ${state.version}`, state])).values()];
}

const byVersion = (left: State, right: State): number =>
  left.version - right.version || (left.variant_id < right.variant_id ? -1 : 1);

/** The state of the product's offer at a time, as the rule is written: docs/tables.md#events_with_offers. */
function findOffer(states: readonly State[], { product_id: product, time }: SeenProduct): State | undefined {
  const newest = new Map<string, State>();
  for (const state of states.toSorted(byVersion))
    if (state.version <= time * 1_000) newest.set(state.variant_id, state);
  return [...newest.values()]
    .filter((state) => state.product_id === product && state.is_buy_box_winner && !state.is_deleted)
    .toSorted(byVersion)
    .at(-1);
}

async function insert(table: string, values: readonly object[]): Promise<void> {
  await client.insert({ table, values: [...values], format: 'JSONEachRow' });
}

async function select<Row>(query: string): Promise<Row[]> {
  const result = await client.query({
    query,
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0, output_format_json_quote_decimals: 0 },
  });
  return result.json();
}

/** Stores the states in parts, as their messages arrive, some of them twice. */
async function store(source: string, states: readonly State[], random: Random): Promise<void> {
  const rows = states.map((state) => ({ ...state, source_id: source }));
  const third = Math.ceil(rows.length / 3);
  for (let begin = 0; begin < rows.length; begin += third)
    await insert('product_variants', rows.slice(begin, begin + third));
  await insert(
    'product_variants',
    rows.filter(() => random.chance(1 / 4)),
  );
}

const timeText = (ms: number): string => new Date(ms).toISOString().replace('T', ' ').slice(0, -1);

it.each([1, 2, 3, 4, 5, 6, 7, 8])('each event has the offer of its own time, seed %i', async (seed) => {
  const random = new Random(seed);
  const [catalog, source] = [randomUUID(), randomUUID()];
  const states = makeStates(random, 1 + random.below(90));
  await store(catalog, states, random);
  const events = Array.from({ length: 300 }, () => ({
    product_id: `p-${1 + random.below(4)}`,
    message_id: randomUUID(),
    time: start - 5 + random.below(maxMs + 10),
  }));
  await insert(
    'events',
    events.map(({ product_id, message_id, time }) => ({
      ...{ source_id: source, event: 'product_viewed', user_id: 'u', message_id, timestamp: timeText(time) },
      ...{ received_at: timeText(time), properties: { product_id } },
    })),
  );
  const [since, until] = [start + 50, start + 390];
  const rows = await select<State & { message_id: string }>(
    `SELECT product_id, message_id, has_offer, variant_id, seller_id, price, discounted_price, stock, is_available
     FROM events_with_offers(source = '${source}', catalog = '${catalog}', from = '${timeText(since)}', to = '${timeText(until)}')
     ORDER BY toString(message_id)`,
  );
  const expected = events
    .filter(({ time }) => time >= since && time < until)
    .map((event) => {
      const offer = findOffer(states, event);
      return {
        ...{ product_id: event.product_id, message_id: event.message_id, has_offer: offer !== undefined },
        ...{ variant_id: offer?.variant_id ?? '', seller_id: offer?.seller_id ?? '', price: offer?.price ?? null },
        ...{ discounted_price: offer?.discounted_price ?? null, stock: offer?.stock ?? null },
        is_available: offer?.is_available ?? false,
      };
    });
  expect(expected.length).toBeGreaterThan(200);
  expect(rows).toEqual(expected.toSorted((left, right) => (left.message_id < right.message_id ? -1 : 1)));
});

it.each([11, 12, 13])('the history of a variant has what changed, and when it ended, seed %i', async (seed) => {
  const random = new Random(seed);
  const catalog = randomUUID();
  const states = makeStates(random, 80);
  await store(catalog, states, random);
  const rows = await select<{ variant_id: string }>(
    `SELECT * REPLACE (toUnixTimestamp64Micro(began_at) AS began_at, toUnixTimestamp64Micro(ended_at) AS ended_at)
     FROM variant_history WHERE source_id = '${catalog}' ORDER BY variant_id, variant_history.began_at`,
  );
  const expected = [...Map.groupBy(states.toSorted(byVersion), ({ variant_id: variant }) => variant)]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([, ofVariant]) => {
      const facts = (state: State | undefined): string => JSON.stringify({ ...state, version: 0 });
      const changes = ofVariant.filter((state, index) => index === 0 || facts(state) !== facts(ofVariant[index - 1]));
      return changes.map(({ version, ...state }, index) => ({
        ...{ source_id: catalog, ...state },
        ...{ began_at: version, ended_at: changes[index + 1]?.version ?? null },
      }));
    });
  expect(rows).toEqual(expected);
});

it('quantity is how many pieces of the product the event names', async () => {
  const source = randomUUID();
  const properties = [
    { product_id: 'p-1' },
    { productId: 7, quantity: 3 },
    { products: [{ product_id: 'p-1', quantity: 2 }, { productId: 'p-2' }, { product_id: 'p-1' }] },
    { products: ['odd', { product_id: 'p-1', quantity: 'two' }], items: [{ productId: 7, quantity: 4 }] },
    { products: 'odd', product_id: 'p-2', quantity: '5' },
  ];
  const time = timeText(start);
  await insert(
    'events',
    properties.map((object, index) => ({
      ...{ source_id: source, event: `${index}`, user_id: 'u', message_id: randomUUID(), timestamp: time },
      ...{ received_at: time, properties: object },
    })),
  );
  const rows = await select<{ event: string; product_id: string; quantity: number }>(
    `SELECT event, product_id, quantity FROM events_with_offers(source = '${source}', catalog = '', from = '2026-03-01', to = '2026-03-02')
     ORDER BY event, product_id`,
  );
  expect(rows.map(({ event, product_id, quantity }) => [event, product_id, quantity])).toEqual([
    ['0', 'p-1', 1],
    ['1', '7', 3],
    ['2', 'p-1', 3],
    ['2', 'p-2', 1],
    ['3', '7', 4],
    ['3', 'p-1', 1],
    ['4', 'p-2', 1],
  ]);
});
