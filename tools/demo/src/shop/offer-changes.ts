import { type SeededRandom } from '../random.js';
import { type Listing, type Variant, variantCall } from './catalog.js';
import { type VisitClock } from './clock.js';
import { type Happening } from './happening.js';

export interface OfferChange {
  readonly listings: readonly Listing[];
  readonly random: SeededRandom;
  /** Time of each change; when it arrives if left out. */
  readonly clock: VisitClock | undefined;
}

/** Sellers change their offers of one product: a price, a discount, what is in stock, who has the Buy Box. */
export function* changeOffers({ listings, random, clock }: OfferChange): Generator<Happening> {
  const { variants } = random.pickPopular(listings);
  const changedVariants = random.chance(0.4) ? passBuyBox(variants) : [changeOffer(random.pick(variants), random)];
  const updatedAt = clock && new Date(clock.tick()).toISOString();
  for (const variant of changedVariants) yield { type: 'call', call: variantCall(variant, updatedAt) };
}

/** The next variant has the Buy Box from now on. Returns those that changed: none if nobody has it. */
function passBuyBox(variants: readonly Variant[]): Variant[] {
  const winner = variants.findIndex(({ isBuyBoxWinner }) => isBuyBoxWinner);
  const [before, after] = [variants[winner], variants[(winner + 1) % variants.length]];
  if (!before || !after || before === after) return [];
  before.isBuyBoxWinner = false;
  after.isBuyBoxWinner = true;
  return [before, after];
}

function changeOffer(variant: Variant, random: SeededRandom): Variant {
  if (random.chance(0.15)) {
    variant.isAvailable = !variant.isAvailable;
    if (variant.isAvailable) return variant;
    variant.stock = 0;
    return variant;
  }
  if (random.chance(0.5)) variant.price = Math.round(variant.price * random.wholeNumber(85, 115)) / 100;
  variant.discountedPrice = random.chance(0.3) ? Math.round(variant.price * 80) / 100 : undefined;
  return variant;
}
