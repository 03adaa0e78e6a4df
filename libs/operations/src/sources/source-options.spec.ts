import { OperationError } from '../operation-error.js';
import { expect, it } from 'vitest';
import { parseName, parseOrigins, parseType } from './source-options.js';

it('removes the space around a name', () => {
  expect(parseName('  فروشگاه 🛒 ')).toBe('فروشگاه 🛒');
  expect(parseName('🛒'.repeat(100))).toHaveLength(200);
});

it.each(['', ' \t', 'x'.repeat(101), 'a\nb', '\u001b[31mred', 'half \ud83d'])('refuses %j as a name', (name) =>
  expect(() => parseName(name)).toThrow(OperationError),
);

it('accepts the types of the registry, and lists them for an unknown type', () => {
  expect(parseType('ios-sdk')).toBe('ios-sdk');
  expect(() => parseType('fax')).toThrow(
    "--type must be one of tracking-api, web-sdk, android-sdk, ios-sdk, catalog-api; it is 'fax'",
  );
});

it('takes origins as browsers write them, each once, or any', () => {
  expect(parseOrigins('https://Shop.example, https://*.shop.example,https://shop.example:443')).toEqual([
    'https://shop.example',
    'https://*.shop.example',
  ]);
  expect(parseOrigins(' any ')).toBe('any');
});

it.each(['', 'https://shop.example,', 'https://shop.example/path', 'shop.example', 'https://a.example,any'])(
  'refuses %j as origins',
  (text) => expect(() => parseOrigins(text)).toThrow(OperationError),
);

it('takes at most a hundred origins', () => {
  const origins = Array.from({ length: 101 }, (_, i) => `https://shop-${i}.example`);
  expect(parseOrigins(origins.slice(1).join())).toHaveLength(100);
  expect(() => parseOrigins(origins.join())).toThrow('there can be at most 100 origins');
});
