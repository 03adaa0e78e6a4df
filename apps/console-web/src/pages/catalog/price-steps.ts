import { type VariantChange } from '@sluice/console-api';

interface PriceSteps {
  /** Seconds since 1970, each greater than the one before. */
  times: number[];
  /** Null while the variant was deleted, or where the number is masked. */
  prices: (number | null)[];
  discountedPrices: (number | null)[];
}

/** Time before the end of a state at which its price is drawn again, so that lines are level between changes. */
const endMs = 1;

/** Two points for each state, at its beginning and at its end, the oldest first. */
export function buildPriceSteps(changes: readonly VariantChange[], now: number): PriceSteps {
  const steps: PriceSteps = { times: [], prices: [], discountedPrices: [] };
  for (const change of changes.toReversed()) {
    const end = change.ended === null ? now : Date.parse(change.ended) - endMs;
    for (const time of [Date.parse(change.began), end]) addStep(steps, time, change);
  }
  return steps;
}

function addStep({ times, prices, discountedPrices }: PriceSteps, time: number, change: VariantChange): void {
  const seconds = time / 1_000;
  if (seconds <= (times.at(-1) ?? -Infinity)) return;
  times.push(seconds);
  prices.push(change.isDeleted ? null : parseNumber(change.price));
  discountedPrices.push(change.isDeleted ? null : parseNumber(change.discountedPrice));
}

function parseNumber(text: string | null): number | null {
  const number = Number(text ?? Number.NaN);
  return Number.isFinite(number) ? number : null;
}
