import { expect, it } from 'vitest';
import { OperatorError } from '../errors.js';
import { parseName, parseType } from './source-options.js';

it('takes a name without the space around it', () => {
  expect(parseName('  فروشگاه 🛒 ')).toBe('فروشگاه 🛒');
  expect(parseName('🛒'.repeat(100))).toHaveLength(200);
});

it.each(['', ' \t', 'x'.repeat(101), 'a\nb', '\u001b[31mred', 'half \ud83d'])('refuses %j as a name', (name) => {
  expect(() => parseName(name)).toThrow(OperatorError);
});

it('takes the types of the registry and names them when it gets another', () => {
  expect(parseType('ios-sdk')).toBe('ios-sdk');
  expect(() => parseType('fax')).toThrow(
    "--type must be one of tracking-api, web-sdk, android-sdk, ios-sdk, catalog-api; it is 'fax'",
  );
});
