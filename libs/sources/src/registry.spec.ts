import { beforeEach, describe, expect, it } from 'vitest';
import { createApiKey, hashApiKey } from './api-key.js';
import { keyRecord, sourceRecord, watchRecord } from './records.js';
import { SourceRegistry } from './registry.js';
import { type Source, type SourceKey } from './source.js';

const aSource = (change: Partial<Source> = {}): Source => ({
  sourceIdentifier: 'AbCdEf123456',
  name: 'Shop',
  type: 'web-sdk',
  status: 'enabled',
  createdAt: '2026-01-01T00:00:00.000Z',
  ...change,
});
const aKey = (apiKey: string, change: Partial<SourceKey> = {}): SourceKey => ({
  sourceIdentifier: 'AbCdEf123456',
  keyId: '01',
  hash: hashApiKey(apiKey).toString('hex'),
  createdAt: '2026-01-01T00:00:00.000Z',
  ...change,
});

describe('SourceRegistry', () => {
  let registry: SourceRegistry;
  const put = (record: { key: string; value: Buffer | null }) => registry.apply(record.key, record.value);
  beforeEach(() => {
    registry = new SourceRegistry();
  });

  it('accepts each key of a source, and no other', () => {
    const [first, second] = [createApiKey(), createApiKey()];
    put(keyRecord(aKey(first)));
    put(keyRecord(aKey(second, { keyId: '02' })));
    put(sourceRecord(aSource()));

    expect(registry.isValidKey('AbCdEf123456', first)).toBe(true);
    expect(registry.isValidKey('AbCdEf123456', second)).toBe(true);
    expect(registry.isValidKey('AbCdEf123456', createApiKey())).toBe(false);
    expect(registry.isValidKey('000000000000', first)).toBe(false);
  });

  it('knows until when a source is watched, also when another reading takes over', () => {
    put(sourceRecord(aSource()));
    put(watchRecord('AbCdEf123456', new Date('2026-01-02T00:00:00.000Z')));
    const other = new SourceRegistry();
    other.become(registry);

    expect(other.watchedUntil('AbCdEf123456')).toBe(Date.parse('2026-01-02T00:00:00.000Z'));
    expect(other.watchedUntil('000000000000')).toBe(0);
    expect(other.records()).toHaveLength(1);
    expect(() => put({ key: 'watch:AbCdEf123456', value: Buffer.from('{}') })).toThrow(TypeError);
  });

  it('refuses a key that was accepted before it was revoked, and accepts the next one', () => {
    const [first, second] = [createApiKey(), createApiKey()];
    put(keyRecord(aKey(first)));
    expect([registry.isValidKey('AbCdEf123456', first), registry.isValidKey('AbCdEf123456', first)]).toEqual([
      true,
      true,
    ]);
    expect(registry.isValidKey('AbCdEf123456', `${first}x`)).toBe(false);
    expect(registry.isValidKey('AbCdEf123456', first.slice(0, -1))).toBe(false);

    put(keyRecord(aKey(first, { revokedAt: '2026-01-02T00:00:00.000Z' })));
    put(keyRecord(aKey(second, { keyId: '02' })));
    expect(registry.isValidKey('AbCdEf123456', first)).toBe(false);
    expect(registry.isValidKey('AbCdEf123456', first)).toBe(false);
    expect(registry.isValidKey('AbCdEf123456', second)).toBe(true);
  });

  it('refuses a revoked key and a disabled source, and finds the source again when it is enabled', () => {
    const apiKey = createApiKey();
    put(keyRecord(aKey(apiKey, { revokedAt: '2026-01-02T00:00:00.000Z' })));
    put(sourceRecord(aSource({ status: 'disabled' })));
    expect(registry.isValidKey('AbCdEf123456', apiKey)).toBe(false);
    expect(registry.findEnabled('AbCdEf123456')).toBeUndefined();

    put(sourceRecord(aSource()));
    expect(registry.findEnabled('AbCdEf123456')).toEqual(aSource());
  });

  it('lists hashes as hex text, and no source whose record was deleted', () => {
    put(keyRecord(aKey('k')));
    put(sourceRecord(aSource()));
    expect(registry.listKeys('AbCdEf123456')).toEqual([aKey('k')]);

    put({ key: 'AbCdEf123456', value: null });
    expect(registry.list()).toEqual([]);
  });

  it.each([
    ['not JSON', 'AbCdEf123456', 'nonsense'],
    ['another shape', 'AbCdEf123456', '{"a":1}'],
    ['an unknown type', 'AbCdEf123456', JSON.stringify({ ...aSource(), type: 'fax' })],
    ['a record under another key', 'BbCdEf123456', JSON.stringify(aSource())],
    ['a key without a hash', 'AbCdEf123456:01', JSON.stringify({ ...aKey('k'), hash: 'x' })],
  ])('refuses %s and stays unchanged', (_, key, value) => {
    expect(() => registry.apply(key, Buffer.from(value))).toThrow();
    expect(registry.list()).toEqual([]);
  });
});
