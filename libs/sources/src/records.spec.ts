import { expect, it } from 'vitest';
import { checkRecord } from './records.js';

const source = {
  sourceIdentifier: 'AbCdEf123456',
  name: 'Shop',
  type: 'web-sdk',
  status: 'enabled',
  createdAt: '2026-11-25T10:00:00.000Z',
};

it.each([
  [{ pii: { 'context.ip': 'truncate', 'traits.email': 'hash' }, piiKeyId: '0a1b2c3d', requireConsent: 'Analytics' }],
  [{ pii: {} }],
])('takes a source with %j', (more) => {
  const record = { source: { ...source, ...more } };
  expect(checkRecord(record)).toEqual(record);
});

it.each([
  [{ pii: { 'context.ip': 'mask' } }],
  [{ pii: { userId: 'hash' } }],
  [{ pii: ['context.ip'] }],
  [{ pii: 'context.ip' }],
  [{ pii: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`traits.t${i}`, 'drop'])) }],
  [{ piiKeyId: 7 }],
  [{ requireConsent: '' }],
  [{ requireConsent: true }],
])('refuses a source with %j: what a rule protects must not be stored as it is', (more) =>
  expect(() => checkRecord({ source: { ...source, ...more } })).toThrow(TypeError),
);
