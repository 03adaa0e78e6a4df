import { createApiKey, hashApiKey, keyRecord, sourceRecord, type SourceReader, SourceRegistry } from '@sluice/sources';
import { expect, it } from 'vitest';
import { CanaryDoor } from '../canary/canary-door.js';
import { Credentials } from './credentials.js';

const basic = (user: string): string => `Basic ${Buffer.from(`${user}:`).toString('base64')}`;

function aShop(sourceIdentifier: string, registry: SourceRegistry): string {
  const [apiKey, createdAt] = [createApiKey(), '2026-01-01T00:00:00.000Z'];
  const hash = hashApiKey(apiKey).toString('hex');
  for (const { key, value } of [
    keyRecord({ sourceIdentifier, keyId: '01', hash, createdAt }),
    sourceRecord({
      sourceIdentifier,
      name: 'Shop',
      type: 'tracking-api',
      status: 'enabled',
      segment: 'on',
      createdAt,
    }),
  ])
    registry.apply(key, value);
  return basic(`${sourceIdentifier}_${apiKey}`);
}

it('credentials always give their own source, however many others came before', () => {
  const registry = new SourceRegistry();
  const sources = ['AbCdEf000001', 'AbCdEf000002'];
  const headers = sources.map((source) => aShop(source, registry));
  const credentials = new Credentials(
    { registry, isComplete: true } as SourceReader,
    new CanaryDoor({ CANARY_INTERVAL_MS: 0, CANARY_KEY: '' }),
  );
  const named = () => headers.map((header) => credentials.assertWriteKey(header, undefined).sourceIdentifier);

  expect(named()).toEqual(sources);
  for (let other = 0; other < 2_500; other++) {
    const wrong = basic(`${sources[0]}_${createApiKey()}${'x'.repeat(other % 400)}`);
    expect(() => credentials.assertWriteKey(wrong, undefined)).toThrow(expect.objectContaining({ status: 401 }));
    expect(named()).toEqual(sources);
  }
});
