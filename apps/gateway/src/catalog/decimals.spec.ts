import { expect, it } from 'vitest';
import { ApiError } from '../errors/api-error.js';
import { exactDecimals } from './decimals.js';

/** Stored texts of the members `price` and `stock` of a body. */
function stored(body: string) {
  const { price, stock } = JSON.parse(body) as { price?: number | null; stock?: number | null };
  return exactDecimals({ price, stock }, Buffer.from(body));
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
    const problems = [{ field: 'price', message: expect.stringContaining('29 digits before and 9 after') as string }];
    expect(() => stored(`{"price":${literal},"stock":1}`)).toThrow(expect.objectContaining({ status: 400, problems }));
    expect(() => stored(`{"price":${literal},"stock":1}`)).toThrow(ApiError);
  },
);

it('reads only members of the body itself, takes the last of a repeated name, and skips null', () => {
  const body = `{"attributes":{"price":1.00000000000000000001},"price":5,"price":1234567890123456789,"stock":null}`;
  expect(stored(body)).toEqual({ price: '1234567890123456789' });
});
