import { type SeededRandom } from '../random.js';
import { type Listing, type Variant, variantCall } from './catalog.js';
import { type VisitClock } from './clock.js';
import { type Happening, identifyPerson, trackEvent, trackOnServer } from './happening.js';
import { type ShopPerson } from './person.js';

export interface VisitOptions {
  readonly person: ShopPerson;
  readonly listings: readonly Listing[];
  readonly sourceIdentifier: string;
  readonly clock: VisitClock;
  readonly random: SeededRandom;
  /** Unique across all visits of all runs. */
  readonly visitId: string;
}

const restockedCount = 200;

interface CartItem {
  readonly listing: Listing;
  readonly variant: Variant;
  readonly quantity: number;
}

/** A visit from the first page to the order, or to a page where people often leave. */
export function* visit(options: VisitOptions): Generator<Happening> {
  const { person, clock, random } = options;
  yield trackEvent(person, clock, 'page_view', {
    path: '/',
    referrer: random.pick(['search', 'newsletter', 'direct']),
  });
  const cart: CartItem[] = [];
  for (let looks = random.wholeNumber(1, 6); looks > 0; looks--) yield* lookAtProduct(options, cart);
  if (cart.length === 0 || random.chance(0.35)) return;
  yield* checkOut(options, cart);
}

function* lookAtProduct(
  { person, clock, random, listings, sourceIdentifier }: VisitOptions,
  cart: CartItem[],
): Generator<Happening> {
  const listing = random.pickPopular(listings);
  const [{ product }, variant] = [listing, random.pickPopular(listing.variants)];
  const productIds = { productId: product.productId, variantId: variant.variantId, categoryId: product.categoryId };
  if (random.chance(0.3)) {
    yield trackEvent(person, clock, 'search', { query: product.name, results: random.wholeNumber(1, 40) });
  }
  yield trackEvent(person, clock, 'page_view', { path: new URL(product.url).pathname });
  if (random.chance(0.1)) {
    const body = { sourceIdentifier, placement: 'product-page', productId: product.productId };
    yield { type: 'call', call: { api: 'ad', body } };
  }
  yield trackEvent(person, clock, 'product_viewed', { ...productIds, name: product.name, price: variant.price });
  if (!random.chance(0.28)) return;
  const quantity = random.wholeNumber(1, 3);
  cart.push({ listing, variant, quantity });
  yield trackEvent(person, clock, 'product_added', { ...productIds, price: variant.price, quantity });
}

function* checkOut({ person, clock, random, visitId }: VisitOptions, cart: readonly CartItem[]): Generator<Happening> {
  const total = cart.reduce((sum, { variant, quantity }) => sum + variant.price * quantity, 0);
  const sums = { total: Math.round(total * 100) / 100, items: cart.length, currency: 'EUR' };
  yield trackEvent(person, clock, 'checkout_started', sums);
  if (random.chance(0.3)) return;
  if (!person.isCustomer) {
    person.isCustomer = true;
    yield identifyPerson(person, clock);
    yield trackEvent(person, clock, 'signed_up', { method: random.pick(['email', 'phone']) });
    if (random.chance(0.5)) yield registerDevice(person, clock, visitId);
  }
  const products = cart.map(({ variant: { productId, variantId, price }, quantity }) => {
    return { productId, variantId, price, quantity };
  });
  yield trackOnServer(person, clock, 'order_completed', { orderId: `order-${visitId}`, ...sums, products });
  for (const { variant, quantity } of cart) {
    // Sold-out variants are restocked at once.
    variant.stock = variant.stock > quantity ? variant.stock - quantity : restockedCount;
    yield { type: 'call', call: variantCall(variant, clock.isPast ? new Date(clock.tick()).toISOString() : undefined) };
  }
}

/** The SDK has received a push token and reports it. */
export function registerDevice(person: ShopPerson, clock: VisitClock, run: string): Happening {
  const { device } = person;
  device.key = `push-${run}-${device.id}`;
  const nativeFields = device.sdk === 'WEB' ? {} : { package_name: 'com.example.shop' };
  const properties = { key: device.key, device_id: device.id, sdk: device.sdk, ...nativeFields };
  return trackEvent(person, clock, 'bb_notification_registered', properties);
}
