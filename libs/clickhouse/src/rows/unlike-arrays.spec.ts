import { expect, it } from 'vitest';
import { hasUnlikeArrays } from './unlike-arrays.js';

const makeRows = (...texts: string[]) =>
  texts.map((text, i) => ({ value: Buffer.from(text), offset: `${i}`, timestamp: '0' }));
const row = (value: unknown): string =>
  JSON.stringify({ source_id: 's', properties: { p: value }, product_ids: ['a'] });

it.each([
  ['no array', [row(1)]],
  [
    'arrays of one kind each',
    [row([1, -2, null]), row(['x', null, '[']), row([true, false]), row([]), row([{ a: [1] }, {}])],
  ],
  ['fractions without whole numbers', [row([1, 2.5, 1e-7]), row([0.5])]],
  ['whole numbers alone', [row([1]), row([2 ** 53])]],
  ['brackets in texts', [row('see [1, a], [x] and [{"a'), row(['[1,', '\\"[', ']'])]],
  ['spaces', ['{ "p" : [ 1 , 2 ] }']],
])('lets a block be with %s', (_, texts) => expect(hasUnlikeArrays(makeRows(...texts))).toBe(false));

it.each([
  ['a text next to a number', [row([1, 'a'])]],
  ['a boolean next to a number', [row([1, true])]],
  ['an object next to a number', [row([{ a: 'x}' }, 5])]],
  ['an object next to a text', [row([{ a: { b: '"' } }, 'y'])]],
  ['arrays in an array', [row([[1]])]],
  ['arrays in an object of an array', [row([{ a: 1 }, { a: [1, 'x'] }])]],
  ['mixed values after a text with a bracket', [row({ a: '["', b: [1, 'x'] })]],
  ['whole numbers in one row and fractions in another', [row([1]), row({ q: [0.5] })]],
  ['a number that is no Int64', [row([1]).replace('1', '18446744073709551615')]],
  ['more brackets than can be looked at', [row('[{'.repeat(2_000))]],
])('finds %s', (_, texts) => expect(hasUnlikeArrays(makeRows(...texts))).toBe(true));
