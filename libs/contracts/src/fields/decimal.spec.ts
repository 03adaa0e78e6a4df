import { expect, it } from 'vitest';
import { plainDecimal } from './decimal.js';

const nines = '9'.repeat(29);

it.each([
  ['0', '0'],
  ['-0', '0'],
  ['0.000', '0'],
  ['0e999999999', '0'],
  ['1', '1'],
  ['100', '100'],
  ['1.50', '1.5'],
  ['-1.50e3', '-1500'],
  ['15e-1', '1.5'],
  ['1E+2', '100'],
  ['1.5e-7', '0.00000015'],
  ['1e-9', '0.000000001'],
  ['0.1000000000000', '0.1'],
  ['1000e-12', '0.000000001'],
  ['1e28', `1${'0'.repeat(28)}`],
  [`${nines}.999999999`, `${nines}.999999999`],
  [`-${nines}.999999999`, `-${nines}.999999999`],
])('%s is %s', (literal, plain) => expect(plainDecimal(literal)).toBe(plain));

it.each(['1e29', `${nines}9`, '1e-10', '0.0000000001', `1.${'0'.repeat(20)}1`, '1e-400', '1e400', '1e99999999999'])(
  '%s does not fit',
  (literal) => expect(plainDecimal(literal)).toBeUndefined(),
);

it.each(['', 'NaN', 'Infinity', '1.', '.5', '+1', '0x10', '1e', ' 1', '1n'])('"%s" is not a JSON number', (text) =>
  expect(plainDecimal(text)).toBeUndefined(),
);

it('takes time linear in the length of the literal, however many zeros it has', () => {
  const zeros = '0'.repeat(500_000);
  const before = performance.now();
  expect(plainDecimal(`0.${zeros}1`)).toBeUndefined();
  expect(plainDecimal(`1.${zeros}`)).toBe('1');
  expect(performance.now() - before).toBeLessThan(2_000);
});
