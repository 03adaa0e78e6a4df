import { hash } from 'node:crypto';
import { type EventRow, type TrackMessage } from '@sluice/contracts';

const actions = ['product_viewed', 'product_added', 'search', 'page_viewed', 'checkout_started'];
const categories = ['shoes', 'kitchen', 'garden', 'books', 'toys', 'audio'];

const pick = (list: readonly string[], n: number): string => list[n % list.length] ?? '';

/** The nth track message of a shop, about 400 bytes as JSON. Each n is a different person. */
export function trackMessage(n: number): TrackMessage {
  const category = pick(categories, n);
  return {
    userId: `user-${n}`,
    event: pick(actions, n),
    timestamp: new Date(1_750_000_000_000 + n * 37).toISOString(),
    properties: {
      productId: `p-${(n * 7919) % 50_000}`,
      name: `Something nice of ${category}`,
      price: ((n * 31) % 20_000) / 100,
      currency: 'EUR',
      quantity: 1 + (n % 3),
      inStock: n % 5 !== 0,
    },
    context: {
      page: { url: `https://shop.example.com/${category}/${n % 997}`, title: `Shop - ${category}` },
      locale: 'de-DE',
      timezone: 'Europe/Berlin',
      screen: { width: 1920, height: 1080 },
    },
  };
}

/** Makes native batches of messages: the nth batch of `size` has those from n × size on. */
export const makeBatches =
  <T>(message: (n: number) => T) =>
  (n: number, size: number): { list: T[] } => ({
    list: Array.from({ length: size }, (_, i) => message(n * size + i)),
  });

/** The nth batch of `size` track messages. */
export const trackBatch = makeBatches(trackMessage);

/** The nth finished row of `events`, about 400 bytes as JSON. The same n always gives the same row. */
export function finishedRow(n: number, receivedAt: string): EventRow {
  const { userId, event, timestamp, properties } = trackMessage(n);
  const { productId, price, currency, quantity } = properties ?? {};
  return {
    source_id: 'BenchSource1',
    request_id: makeUuid(`request ${Math.floor(n / 10)}`),
    received_at: receivedAt,
    message_id: makeUuid(`message ${n}`),
    user_id: userId ?? undefined,
    anonymous_id: undefined,
    timestamp: timestamp ?? receivedAt,
    context: { locale: 'de-DE', screen: { width: 1920, height: 1080 } },
    event,
    product_ids: [String(productId)],
    properties: { productId, price, currency, quantity },
  };
}

/** A reproducible UUID that sorts and compresses in a table like a random one. */
const makeUuid = (text: string): string =>
  hash('md5', text).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-7$3-8$4-$5');
