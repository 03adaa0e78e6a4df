import { expect, it } from 'vitest';
import { OperatorError } from '../errors.js';
import { parseName, parseType } from './source-options.js';

it('removes the space around a name', () => {
  expect(parseName('  فروشگاه 🛒 ')).toBe('فروشگاه 🛒');
  expect(parseName('🛒'.repeat(100))).toHaveLength(200);
});

it.each(['', ' \t', 'x'.repeat(101), 'a\nb', '\u001b[31mred', 'half \ud83d'])('refuses %j as a name', (name) => {
  expect(() => parseName(name)).toThrow(OperatorError);
});

it('accepts the types of the registry, and lists them for an unknown type', () => {
  expect(parseType('ios-sdk')).toBe('ios-sdk');
  expect(() => parseType('fax')).toThrow(
    "--type must be one of tracking-api, web-sdk, android-sdk, ios-sdk, catalog-api; it is 'fax'",
  );
});
