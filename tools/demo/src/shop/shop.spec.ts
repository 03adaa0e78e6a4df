import { type TrackMessage } from '@sluice/contracts';
import { describe, expect, it } from 'vitest';
import { type Call } from '../call.js';
import { Shop, type ShopOptions } from './shop.js';

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
async function callsOf(changes: Partial<ShopOptions> = {}, max = Infinity): Promise<Call[]> {
  const shop = new Shop({ ...options, ...changes });
  const calls: Call[] = [];
  for await (const step of shop.steps()) {
    calls.push(...step);
    if (calls.length >= max) shop.close();
  }
  return calls;
}

const tracksOf = (calls: readonly Call[]): TrackMessage[] =>
  calls.flatMap((call) => (call.api === 'track' ? call.list : []));

/** JSON of the calls without timestamps, which depend on the time of the run. */
const timeless = (calls: readonly Call[]): string =>
  JSON.stringify(calls, (name, value: unknown) => (name === 'timestamp' ? undefined : value));

describe('the same seed', () => {
  it('makes the same history, and another seed makes another history', async () => {
    const calls = await callsOf();
    expect(tracksOf(calls).length).toBeGreaterThan(100);
    expect(await callsOf()).toEqual(calls);
    expect(await callsOf({ seed: 'b' })).not.toEqual(calls);
  });

  it('makes the same live events, except for their times', async () => {
    const live = { history: undefined };
    const calls = await callsOf(live, 400);
    expect(tracksOf(calls).length).toBeGreaterThan(100);
    expect(timeless(await callsOf(live, 400))).toBe(timeless(calls));
    expect(timeless(await callsOf({ ...live, seed: 'b' }, 400))).not.toBe(timeless(calls));
  });

  it('makes different orders, notifications and push tokens in every run', async () => {
    const idsOf = async (run: string): Promise<unknown[]> =>
      tracksOf(await callsOf({ run })).flatMap(
        ({ properties }) => properties?.['orderId'] ?? properties?.['key'] ?? [],
      );
    const [first, second] = [await idsOf('r1'), await idsOf('r2')];
    expect(first.length).toBeGreaterThan(10);
    expect(second.filter((id) => first.includes(id))).toEqual([]);
  });
});

it('sends the catalog first, and every entity before those that refer to it', async () => {
  const calls = await callsOf();
  const kinds: string[] = calls.map((call) => (call.api === 'catalog' ? call.endpoint : call.api));
  const order = ['seller', 'category', 'product', 'productVariant', 'general', 'identify'];
  expect(order.map((kind) => kinds.indexOf(kind))).toEqual(
    order.map((kind) => kinds.indexOf(kind)).sort((a, b) => a - b),
  );
  expect(kinds.indexOf('track')).toBeGreaterThan(kinds.indexOf('general'));
});

it('spreads a history over its days, with no event in the future', async () => {
  const times = tracksOf(await callsOf()).map(({ timestamp }) => Date.parse(String(timestamp)));
  expect(Math.min(...times)).toBeGreaterThan(now - 7 * dayMs);
  expect(Math.max(...times)).toBeLessThanOrEqual(now);
  expect(new Set(times.map((time) => Math.floor(time / dayMs))).size).toBeGreaterThanOrEqual(5);
});

it('knows people by their device first, and by their account from their first order on', async () => {
  const byPerson = Map.groupBy(
    tracksOf(await callsOf()).filter(({ anonymousId }) => anonymousId !== undefined),
    ({ anonymousId }) => anonymousId,
  );
  const stories = [...byPerson.values()].map((events) => events.map(({ userId }) => userId !== undefined));
  const becameKnown = stories.filter((known) => known.includes(false) && known.includes(true));
  expect(becameKnown.length).toBeGreaterThan(0);
  for (const known of becameKnown) expect(known.lastIndexOf(false)).toBeLessThan(known.indexOf(true));
});

it('reports each push interaction as an event and as a callback, in batches of at most 100', async () => {
  const calls = await callsOf();
  const callbacks = calls.flatMap((call) => (call.api === 'callback' ? [call.query['token']] : []));
  const events = tracksOf(calls).filter(({ event }) => /^bb_notification_(?!registered)/.test(event));
  expect(callbacks.length).toBeGreaterThan(10);
  expect(callbacks.toSorted()).toEqual(events.map(({ properties }) => properties?.['id']).toSorted());
  expect(Math.max(...calls.map((call) => ('list' in call ? call.list.length : 1)))).toBe(100);
});
