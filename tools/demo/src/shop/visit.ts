import { type Random } from '../random.js';
import { type Listing, type Variant, variantCall } from './catalog.js';
import { type Clock } from './clock.js';
import { type Happening, identify, track, trackOnServer } from './happening.js';
import { type Person } from './person.js';

export interface VisitOf {
  readonly person: Person;
  readonly listings: readonly Listing[];
  readonly sourceIdentifier: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Unique across all visits of all runs. */
  readonly visitId: string;
}

const restocked = 200;

interface CartItem {
  readonly listing: Listing;
  readonly variant: Variant;
  readonly quantity: number;
}

/** A visit from the first page to the order, or to a page where people often leave. */
export function* visit(of: VisitOf): Generator<Happening> {
  const { person, clock, random } = of;
  yield track(person, clock, 'page_view', { path: '/', referrer: random.pick(['search', 'newsletter', 'direct']) });
  const cart: CartItem[] = [];
  for (let looks = random.whole(1, 6); looks > 0; looks--) yield* look(of, cart);
  if (cart.length === 0 || random.chance(0.35)) return;
  yield* checkOut(of, cart);
}

function* look({ person, clock, random, listings, sourceIdentifier }: VisitOf, cart: CartItem[]): Generator<Happening> {
  const listing = random.pickPopular(listings);
  const [{ product }, variant] = [listing, random.pickPopular(listing.variants)];
  const shown = { productId: product.productId, variantId: variant.variantId, categoryId: product.categoryId };
  if (random.chance(0.3)) {
    yield track(person, clock, 'search', { query: product.name, results: random.whole(1, 40) });
  }
  yield track(person, clock, 'page_view', { path: new URL(product.url).pathname });
  if (random.chance(0.1)) {
    const body = { sourceIdentifier, placement: 'product-page', productId: product.productId };
    yield { type: 'call', call: { api: 'ad', body } };
  }
  yield track(person, clock, 'product_viewed', { ...shown, name: product.name, price: variant.price });
  if (!random.chance(0.28)) return;
  const quantity = random.whole(1, 3);
  cart.push({ listing, variant, quantity });
  yield track(person, clock, 'product_added', { ...shown, price: variant.price, quantity });
}

function* checkOut({ person, clock, random, visitId }: VisitOf, cart: readonly CartItem[]): Generator<Happening> {
  const total = cart.reduce((sum, { variant, quantity }) => sum + variant.price * quantity, 0);
  const sums = { total: Math.round(total * 100) / 100, items: cart.length, currency: 'EUR' };
  yield track(person, clock, 'checkout_started', sums);
  if (random.chance(0.3)) return;
  if (!person.isCustomer) {
    person.isCustomer = true;
    yield identify(person, clock);
    yield track(person, clock, 'signed_up', { method: random.pick(['email', 'phone']) });
    if (random.chance(0.5)) yield register(person, clock, visitId);
  }
  const products = cart.map(({ variant: { productId, variantId, price }, quantity }) => {
    return { productId, variantId, price, quantity };
  });
  yield trackOnServer(person, clock, 'order_completed', { orderId: `order-${visitId}`, ...sums, products });
  for (const { variant, quantity } of cart) {
    // Sold-out variants are restocked at once.
    variant.stock = variant.stock > quantity ? variant.stock - quantity : restocked;
    yield { type: 'call', call: variantCall(variant) };
  }
}

/** The SDK has received a push token and reports it. */
export function register(person: Person, clock: Clock, run: string): Happening {
  const { device } = person;
  device.key = `push-${run}-${device.id}`;
  const native = device.sdk === 'WEB' ? {} : { package_name: 'com.example.shop' };
  const properties = { key: device.key, device_id: device.id, sdk: device.sdk, ...native };
  return track(person, clock, 'bb_notification_registered', properties);
}
