import { PrivacyKey } from '@sluice/privacy';
import { Registry } from '@sluice/service';
import { beforeEach, expect, it } from 'vitest';
import { FieldHasher } from './field-hasher.js';

const key = new PrivacyKey('a secret of the tests, long enough');
const source = { sourceIdentifier: 'AbCdEf123456', pii: { 'traits.email': 'hash' as const } };
let registry: Registry;
beforeEach(() => {
  registry = new Registry();
});

const unhashed = async (): Promise<number | undefined> =>
  (await registry.getSingleMetric('sluice_gateway_unhashed_values_total')?.get())?.values[0]?.value;

it('hashes by the key and the source', async () => {
  const hasher = new FieldHasher(key, registry);
  const hash = hasher.makeHash(source)('ann@shop.example');
  expect(hash).toMatch(/^[\w-]{22}$/);
  expect(hasher.makeHash({ ...source, piiKeyId: key.id })('ann@shop.example')).toBe(hash);
  expect(hasher.makeHash({ ...source, sourceIdentifier: 'AbCdEf654321' })('ann@shop.example')).not.toBe(hash);
  expect(await unhashed()).toBe(0);
});

it.each([
  ['without a key', undefined, undefined],
  ['with another key than that of the rules', key, '00000000'],
])('has no hash %s, and counts the values', async (_, given, piiKeyId) => {
  const hasher = new FieldHasher(given, registry);
  const hash = hasher.makeHash({ ...source, ...(piiKeyId !== undefined && { piiKeyId }) });
  expect([hash('a'), hash('b')]).toEqual([undefined, undefined]);
  expect(await unhashed()).toBe(2);
});
