import { expect, it } from 'vitest';
import { replaceValues, valuePatterns } from './value-patterns.js';

const masked = (text: string): string => replaceValues(text, new Set(valuePatterns), (kind) => `<${kind}>`);

it.each([
  ['ann@shop.example', '<email>'],
  ['from Ann.O+x@mail.shop.example, today', 'from <email>, today'],
  ['کاربر علی@نمونه.ایران', 'کاربر <email>'],
  ['https://shop.example/pay?email=ann', 'https://shop.example/pay<query>'],
  ['/pay/1?card=4111#x', '/pay/1<query>'],
  ['https://shop.example/u/ann%40shop.example/x', 'https://shop.example/u/<email>/x'],
  ['+98 912 345 6789', '<phone>'],
  ['call (555) 123-4567 now', 'call <phone> now'],
  ['09123456789', '<phone>'],
  ['۰۹۱۲۳۴۵۶۷۸۹', '<phone>'],
  ['0049 30 901820', '<phone>'],
  ['4111 1111 1111 1111', '<card>'],
  ['5555-5555-5555-4444', '<card>'],
])('replaces what is in %s', (text, expected) => expect(masked(text)).toBe(expected));

it.each([
  ['0190a1b2-1234-7123-8123-123456789012'],
  ['2026-01-31T12:00:00.000Z'],
  ['2026-01-31 12:00:00'],
  ['1764000000000'],
  ['1764000000'],
  ['4111 1111 1111 1112'],
  ['0.1234567890'],
  ['12345678'],
  ['tracking.track.v1:3:1234567890'],
  ['order_completed'],
  ['10.0.0.1'],
])('leaves %s', (text) => expect(masked(text)).toBe(text));

it.each(['a', '1', '://', '@', '0', 'a@', '+1 ', '%40', 'a.', '?', '1-', '(1'])('takes linear time for %s', (part) => {
  const startedAt = performance.now();
  masked(`${part.repeat(100_000 / part.length)}@`);
  expect(performance.now() - startedAt).toBeLessThan(1_500);
});
