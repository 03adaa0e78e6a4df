import { expect, it } from 'vitest';
import { planImport } from './import-plan.js';
import { checkRecord, keyRecord, sourceRecord, type RegistryRecord } from './records.js';
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
const aKey = (change: Partial<SourceKey> = {}): SourceKey => ({
  sourceIdentifier: 'AbCdEf123456',
  keyId: 'k1',
  hash: 'a'.repeat(64),
  createdAt: '2026-01-01T00:00:00.000Z',
  ...change,
});
const revokedAt = '2026-02-01T00:00:00.000Z';

function aRegistry(...records: RegistryRecord[]): SourceRegistry {
  const registry = new SourceRegistry();
  for (const record of records) {
    const { key, value } = 'source' in record ? sourceRecord(record.source) : keyRecord(record.key);
    registry.apply(key, value);
  }
  return registry;
}

it('writes what the registry lacks, keys before sources, and nothing the second time', () => {
  const exported = aRegistry({ source: aSource() }, { key: aKey() }).export();
  const empty = aRegistry();

  const plan = planImport(empty, exported);
  expect(plan).toMatchObject({ created: ['AbCdEf123456:k1', 'AbCdEf123456'], changed: [], unchanged: 0 });
  expect(plan.records.map(({ key }) => key)).toEqual(['AbCdEf123456:k1', 'AbCdEf123456']);

  for (const { key, value } of plan.records) empty.apply(key, value);
  expect(planImport(empty, exported)).toMatchObject({ created: [], changed: [], unchanged: 2, records: [] });
  expect(empty.export()).toEqual(exported);
});

it('names what the registry has with other content', () => {
  const registry = aRegistry({ source: aSource({ status: 'disabled' }) }, { key: aKey() });

  expect(planImport(registry, [{ source: aSource() }, { key: aKey() }])).toMatchObject({
    changed: ['AbCdEf123456'],
    unchanged: 1,
  });
});

it('keeps a revoked key revoked, whatever an older export says', () => {
  const registry = aRegistry({ source: aSource() }, { key: aKey({ revokedAt }) });

  expect(planImport(registry, [{ key: aKey() }])).toMatchObject({ records: [], unchanged: 1 });
  const other = planImport(registry, [{ key: aKey({ hash: 'b'.repeat(64) }) }]);
  expect(String(other.records[0]?.value)).toContain(revokedAt);
});

it.each([
  ['a record that comes twice', [{ key: aKey() }, { key: aKey() }, { source: aSource() }], 'k1 comes twice'],
  ['a key without its source', [{ key: aKey() }], 'which is neither here nor in the file'],
])('refuses %s', (_, records, message) => expect(() => planImport(aRegistry(), records)).toThrow(message));

it.each([
  [null],
  [{}],
  [{ source: aSource({ status: 'off' as 'enabled' }) }],
  [{ source: aSource({ sourceIdentifier: 'short' }) }],
  [{ key: aKey({ hash: 'the key itself' }) }],
  [{ source: aSource(), key: aKey() }],
  [{ source: aSource(), more: 1 }],
])('takes no other value for a record: %j', (value) => expect(() => checkRecord(value)).toThrow('neither {"source"'));
