import { type VariantChange } from '@sluice/console-api';
import { expect, it } from 'vitest';
import { buildPriceSteps } from './price-steps';

const start = Date.UTC(2026, 10, 21);
const at = (second: number): string => new Date(start + second * 1_000).toISOString();
const aChange = (began: number, ended: number | null, change: Partial<VariantChange>): VariantChange => ({
  ...{ began: at(began), ended: ended === null ? null : at(ended), product: 'p', seller: 's', price: '1', stock: '1' },
  ...{ discountedPrice: null, isAvailable: true, isBuyBoxWinner: true, isDeleted: false, ...change },
});
const sinceStart = (seconds: number): number => Math.round((seconds - start / 1_000) * 1_000) / 1_000;

it('draws each state level from its beginning to its end', () => {
  const changes = [aChange(10, null, { price: '2.5', discountedPrice: '2' }), aChange(0, 10, { price: '3' })];
  const { times, prices, discountedPrices } = buildPriceSteps(changes, start + 20_000);
  expect(times.map(sinceStart)).toEqual([0, 9.999, 10, 20]);
  expect(prices).toEqual([3, 3, 2.5, 2.5]);
  expect(discountedPrices).toEqual([null, null, 2, 2]);
});

it('has a gap while the variant was deleted, and where the price is masked', () => {
  const changes = [aChange(2, null, { price: '‹string, 4, 1a2b›' }), aChange(0, 2, { isDeleted: true, price: '0' })];
  expect(buildPriceSteps(changes, start + 4_000).prices).toEqual([null, null, null, null]);
});

it('draws states of the same millisecond once, so that times grow', () => {
  const changes = [aChange(1, null, { price: '2' }), aChange(1, 1, { price: '3' }), aChange(0, 1, {})];
  expect(buildPriceSteps(changes, start + 2_000).times.map(sinceStart)).toEqual([0, 0.999, 1, 2]);
});
