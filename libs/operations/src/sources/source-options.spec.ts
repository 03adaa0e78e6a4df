import { OperationError } from '../operation-error.js';
import { expect, it } from 'vitest';
import { mergeRules, parseFieldRule, parseName, parseOrigins, parsePurpose, parseType } from './source-options.js';

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

it.each([
  ['context.ip=truncate', ['context.ip', 'truncate']],
  ['properties.card.number=drop', ['properties.card.number', 'drop']],
  ['traits.a=b=hash', ['traits.a=b', 'hash']],
  ['context.ip=none', ['context.ip', 'none']],
])('%s is a rule of a field', (text, rule) => expect(parseFieldRule(text)).toEqual(rule));

it.each(['', 'context.ip', '=drop', 'context=drop', 'userId=hash', 'ip=drop', 'traits..a=drop', 'traits.=drop'])(
  '%j names no field',
  (text) => expect(() => parseFieldRule(text)).toThrow('does not begin with a field'),
);

it('refuses a rule that nobody knows', () =>
  expect(() => parseFieldRule('context.ip=mask')).toThrow(
    "the rule of context.ip must be drop, truncate, hash or none; it is 'mask'",
  ));

it('changes single rules, and keeps the others', () => {
  const present = { 'context.ip': 'truncate', 'traits.email': 'hash' } as const;
  expect(mergeRules(present, { 'context.ip': 'none', 'traits.phone': 'drop' })).toEqual({
    'traits.email': 'hash',
    'traits.phone': 'drop',
  });
  expect(mergeRules(undefined, { 'context.ip': 'none' })).toEqual({});
  const tooManyRules = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`traits.t${i}`, 'drop' as const]));
  expect(() => mergeRules({}, tooManyRules)).toThrow('there can be at most 100 rules');
});

it('takes a purpose as it is written', () => {
  expect(parsePurpose(' Analytics ')).toBe('Analytics');
  for (const text of ['', '  ', 'a\nb', 'x'.repeat(65)]) expect(() => parsePurpose(text)).toThrow(OperationError);
});
