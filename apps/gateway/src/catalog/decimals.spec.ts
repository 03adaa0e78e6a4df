import { Report } from '@sluice/messages';
import { expect, it } from 'vitest';
import { exactDecimals } from './decimals.js';

/** Stored texts of the members `price` and `stock` of a message, or the problems for which it is refused. */
function stored(text: string, path = '') {
  const { price, stock } = JSON.parse(text) as { price?: number | null; stock?: number | null };
  const report = new Report();
  return exactDecimals({ price, stock }, { text, path }, report) ?? report.problems;
}

it.each([
  ['0.1', '0.1'],
  ['19.99', '19.99'],
  ['-0', '0'],
  ['1e21', '1000000000000000000000'],
  ['1.5e-7', '0.00000015'],
  ['12345678901234567890123456789.123456789', '12345678901234567890123456789.123456789'],
  ['99999999999999999999999999999.999999999', '99999999999999999999999999999.999999999'],
  ['123456789012345678', '123456789012345678'],
  ['0.1000000000000000000000', '0.1'],
])('keeps every digit of %s', (literal, text) =>
  expect(stored(`{"price":${literal},"stock":1}`)).toEqual({ price: text, stock: '1' }),
);

it.each(['1e29', '100000000000000000000000000000', '0.10000000000000000001', '1e-400', '19.999999999999999999'])(
  'refuses %s, although a double could hold a number close to it',
  (literal) => {
    const message = expect.stringContaining('29 digits before and 9 after') as string;
    expect(stored(`{"price":${literal},"stock":1}`)).toEqual([{ field: 'price', message }]);
    expect(stored(`{"price":${literal},"stock":1}`, 'list[3]')).toEqual([{ field: 'list[3].price', message }]);
  },
);

it('reads only members of the body itself, takes the last of a repeated name, and skips null', () => {
  const body = `{"attributes":{"price":1.00000000000000000001},"price":5,"price":1234567890123456789,"stock":null}`;
  expect(stored(body)).toEqual({ price: '1234567890123456789' });
});

it('refuses numbers of a message whose text is not known, instead of storing fewer digits', () => {
  const report = new Report();
  expect(exactDecimals({ price: 1, discount: null, stock: 2 }, { text: '', path: 'list[0]' }, report)).toBeUndefined();
  expect(report.problems.map(({ field }) => field)).toEqual(['list[0].price', 'list[0].stock']);
});
