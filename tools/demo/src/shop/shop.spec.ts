import { type TrackMessage } from '@sluice/contracts';
import { describe, expect, it } from 'vitest';
import { type ShopCall } from '../call.js';
import { DemoShop, type ShopOptions } from './shop.js';

const now = Date.parse('2026-03-01T12:00:00Z');
const dayMs = 86_400_000;

const options: ShopOptions = {
  seed: 'a',
  users: 30,
  sourceIdentifier: 'AbCdEf123456',
  run: 'r',
  history: { now, days: 5 },
  openMs: undefined,
  seal: (token) => Promise.resolve(`token of ${JSON.stringify({ ...token, issuedAt: undefined })}`),
};

/** Requests of a shop: all of a history, or the first `max` of a live shop and those left in its queues. */
async function collectCalls(changes: Partial<ShopOptions> = {}, max = Infinity): Promise<ShopCall[]> {
  const shop = new DemoShop({ ...options, ...changes });
  const calls: ShopCall[] = [];
  for await (const step of shop.steps()) {
    calls.push(...step);
    if (calls.length >= max) shop.close();
  }
  return calls;
}

const listTracks = (calls: readonly ShopCall[]): TrackMessage[] =>
  calls.flatMap((call) => (call.api === 'track' ? call.list : []));

/** JSON of the calls without timestamps, which depend on the time of the run. */
const timeless = (calls: readonly ShopCall[]): string =>
  JSON.stringify(calls, (name, value: unknown) => (name === 'timestamp' ? undefined : value));

describe('the same seed', () => {
  it('makes the same history, and another seed makes another history', async () => {
    const calls = await collectCalls();
    expect(listTracks(calls).length).toBeGreaterThan(100);
    expect(await collectCalls()).toEqual(calls);
    expect(await collectCalls({ seed: 'b' })).not.toEqual(calls);
  });

  it('makes the same live events, except for their times', async () => {
    const live = { history: undefined };
    const calls = await collectCalls(live, 400);
    expect(listTracks(calls).length).toBeGreaterThan(100);
    expect(timeless(await collectCalls(live, 400))).toBe(timeless(calls));
    expect(timeless(await collectCalls({ ...live, seed: 'b' }, 400))).not.toBe(timeless(calls));
  });

  it('makes different orders, notifications and push tokens in every run', async () => {
    const idsOf = async (run: string): Promise<unknown[]> =>
      listTracks(await collectCalls({ run })).flatMap(
        ({ properties }) => properties?.['orderId'] ?? properties?.['key'] ?? [],
      );
    const [first, second] = [await idsOf('r1'), await idsOf('r2')];
    expect(first.length).toBeGreaterThan(10);
    expect(second.filter((id) => first.includes(id))).toEqual([]);
  });
});

it('sends the catalog first, and every entity before those that refer to it', async () => {
  const calls = await collectCalls();
  const kinds: string[] = calls.map((call) => (call.api === 'catalog' ? call.endpoint : call.api));
  const order = ['seller', 'category', 'product', 'productVariant', 'general', 'identify'];
  expect(order.map((kind) => kinds.indexOf(kind))).toEqual(
    order.map((kind) => kinds.indexOf(kind)).sort((a, b) => a - b),
  );
  expect(kinds.indexOf('track')).toBeGreaterThan(kinds.indexOf('general'));
});

interface SentVariant {
  variantId: string;
  price: number;
  stock: number;
  isBuyBoxWinner: boolean;
  updatedAt?: string;
}

const listVariants = (calls: readonly ShopCall[]): SentVariant[] =>
  calls.flatMap((call) =>
    call.api === 'catalog' && call.endpoint === 'productVariant' ? [call.entity as SentVariant] : [],
  );

it('changes offers during a history, at times of their own: prices, stock, and who has the Buy Box', async () => {
  const states = listVariants(await collectCalls({ history: { now, days: 30 } }));
  const times = states.map(({ updatedAt }) => Date.parse(updatedAt ?? ''));
  expect(Math.min(...times)).toBe(now - 37 * dayMs);
  expect(Math.max(...times)).toBeLessThanOrEqual(now);
  const ofEach = [...Map.groupBy(states, ({ variantId }) => variantId).values()];
  const countChanged = (name: 'price' | 'stock' | 'isBuyBoxWinner'): number =>
    ofEach.filter((variants) => new Set(variants.map((variant) => variant[name])).size > 1).length;
  expect(countChanged('price')).toBeGreaterThan(3);
  expect(countChanged('stock')).toBeGreaterThan(10);
  expect(countChanged('isBuyBoxWinner')).toBeGreaterThan(3);
});

it('states of a live shop have the time of their arrival', async () => {
  const states = listVariants(await collectCalls({ history: undefined }, 400));
  expect(states.filter(({ updatedAt }) => updatedAt !== undefined)).toEqual([]);
});

it('has a few of the mistakes of feeds', async () => {
  const calls = (await collectCalls()).flatMap((call) => (call.api === 'catalog' ? [call] : []));
  const list = (endpoint: string, field: string): unknown[] =>
    calls.filter((call) => call.endpoint === endpoint).map(({ entity }) => Reflect.get(entity, field) as unknown);
  const [sellers, categories] = [list('seller', 'sellerId'), list('category', 'categoryId')];
  expect(list('productVariant', 'sellerId').some((id) => !sellers.includes(id))).toBe(true);
  expect(list('product', 'categoryId').filter((id) => !categories.includes(id))).toEqual(['summer-sale']);
});

it('spreads a history over its days, with no event in the future', async () => {
  const times = listTracks(await collectCalls()).map(({ timestamp }) => Date.parse(String(timestamp)));
  expect(Math.min(...times)).toBeGreaterThan(now - 7 * dayMs);
  expect(Math.max(...times)).toBeLessThanOrEqual(now);
  expect(new Set(times.map((time) => Math.floor(time / dayMs))).size).toBeGreaterThanOrEqual(5);
});

it('knows people by their device first, and by their account from their first order on', async () => {
  const byPerson = Map.groupBy(
    listTracks(await collectCalls()).filter(({ anonymousId }) => anonymousId !== undefined),
    ({ anonymousId }) => anonymousId,
  );
  const stories = [...byPerson.values()].map((events) => events.map(({ userId }) => userId !== undefined));
  const becameKnown = stories.filter((story) => story.includes(false) && story.includes(true));
  expect(becameKnown.length).toBeGreaterThan(0);
  for (const story of becameKnown) expect(story.lastIndexOf(false)).toBeLessThan(story.indexOf(true));
});

it('reports each push interaction as an event and as a callback, in batches of at most 100', async () => {
  const calls = await collectCalls();
  const callbacks = calls.flatMap((call) => (call.api === 'callback' ? [call.query['token']] : []));
  const events = listTracks(calls).filter(({ event }) => /^bb_notification_(?!registered)/.test(event));
  expect(callbacks.length).toBeGreaterThan(10);
  expect(callbacks.toSorted()).toEqual(events.map(({ properties }) => properties?.['id']).toSorted());
  expect(Math.max(...calls.map((call) => ('list' in call ? call.list.length : 1)))).toBe(100);
});
