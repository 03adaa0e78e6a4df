import { expect, it } from 'vitest';
import { StateTexts } from './state-text.js';

const variants = new StateTexts('productVariant');
const record = (change: object): string =>
  JSON.stringify({
    ...{
      variantId: 'v',
      productId: 'p',
      sellerId: 's',
      price: 1.5,
      stock: 2,
      isAvailable: true,
      isBuyBoxWinner: false,
    },
    ...change,
  });
const row = (change: object) => ({
  ...{ variant_id: 'v', product_id: 'p', seller_id: 's', price: '1.5', discounted_price: null, stock: '2' },
  ...{ is_available: true, is_buy_box_winner: false, image: '', url: '', attributes: {}, updated_at: null, ...change },
});
const isSame = (sent: object | string, stored: object): boolean =>
  variants.readRecord(typeof sent === 'string' ? sent : record(sent))?.text === variants.readRow(row(stored)).text;

it.each([
  ['nothing more', {}, {}],
  ['null for what is missing', { discountedPrice: null, url: null, attributes: null }, {}],
  ['an unknown field', { colour: 'red' }, {}],
  ['a discount of 0', { discountedPrice: 0 }, { discounted_price: '0' }],
  ['free-form values in another order', { attributes: { b: 1, a: 'x' } }, { attributes: { a: 'x', b: 1 } }],
  ['free-form nulls and empty objects', { attributes: { a: null, b: { c: {} }, d: 1 } }, { attributes: { d: 1 } }],
  ['names with dots', { attributes: { 'a.b': 1, a: { c: 2 } } }, { attributes: { a: { b: 1, c: 2 } } }],
  ['-0', { attributes: { n: -0 } }, { attributes: { n: 0 } }],
])('a record with %s is the row', (_, sent, stored) => {
  expect(isSame(sent, stored)).toBe(true);
});

it.each([
  ['another price', { price: 1.6 }, {}],
  ['a discount of 0 instead of none', {}, { discounted_price: '0' }],
  ['another flag', { isAvailable: false }, {}],
  ['another attribute', { attributes: { a: 1 } }, { attributes: { a: '1' } }],
  ['an attribute more', { attributes: { a: 1, b: 2 } }, { attributes: { a: 1 } }],
  ['a list in another order', { attributes: { a: [1, 2] } }, { attributes: { a: [2, 1] } }],
])('a record with %s is not the row', (_, sent, stored) => {
  expect(isSame(sent, stored)).toBe(false);
});

it('compares decimals by every digit', () => {
  const text = record({}).replace('1.5', '12345678901234567890.123456789');
  expect(isSame(text, { price: '12345678901234567890.123456789' })).toBe(true);
  expect(isSame(text, { price: '12345678901234567890.123456788' })).toBe(false);
  expect(isSame(record({}).replace('1.5', '1.50e0'), { price: '1.5' })).toBe(true);
});

it.each(['', '{', '[]', '5', record({ price: '1.5' }), record({ url: 5 }), record({ attributes: [] })])(
  'is not certain about %s',
  (text) => {
    expect(variants.readRecord(text)).toBeUndefined();
  },
);

it('gives times in one form', () => {
  const sellers = new StateTexts('seller');
  const flags = { isActive: true, isBrand: true, isMarketPlaceOwner: true, email: 'e' };
  const at = (createdAt: string) => sellers.readRecord(JSON.stringify({ ...flags, createdAt }))?.text;
  expect(at('2026-01-31T12:00:00+03:30')).toBe(at('2026-01-31T08:30:00.000Z'));
  const sent = sellers.readRecord(JSON.stringify({ ...flags, updatedAt: '2026-01-31T12:00:00+01:00' }));
  expect(sent?.updatedAt).toBe(Date.UTC(2026, 0, 31, 11));
});
