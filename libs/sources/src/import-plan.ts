import { isDeepStrictEqual } from 'node:util';
import { type CompactedRecord } from '@sluice/kafka';
import { nameOfRecord, recordOf, type RegistryRecord } from './records.js';
import { type SourceRegistry } from './registry.js';
import { type SourceKey } from './source.js';

/** What an import of records would write. */
export interface ImportPlan {
  /** Keys before sources, so that no reader sees a source without its keys. */
  readonly records: readonly CompactedRecord[];
  /** Names of records that the registry lacks. */
  readonly created: readonly string[];
  /** Names of records that the registry has with other content. */
  readonly changed: readonly string[];
  /** Number of records that the registry has as they are. */
  readonly unchanged: number;
}

/**
 * Compares records with the registry. A key that is revoked here stays revoked: an older export must not bring a leaked
 * key back.
 * @throws TypeError for a record that comes twice, or a key whose source is neither here nor among the records.
 */
export function planImport(registry: SourceRegistry, records: readonly RegistryRecord[]): ImportPlan {
  assertWhole(registry, records);
  const ordered = [...records].sort((a, b) => Number('source' in a) - Number('source' in b));
  const compared = ordered.map((record) => {
    const present = presentOf(registry, record);
    const wanted = 'key' in record && present && 'key' in present ? stillRevoked(record.key, present.key) : record;
    const state = present === undefined ? 'created' : isDeepStrictEqual(present, wanted) ? 'unchanged' : 'changed';
    return { name: nameOfRecord(record), wanted, state };
  });
  const named = (state: string): string[] => compared.filter((one) => one.state === state).map(({ name }) => name);
  return {
    records: compared.filter(({ state }) => state !== 'unchanged').map(({ wanted }) => recordOf(wanted)),
    created: named('created'),
    changed: named('changed'),
    unchanged: named('unchanged').length,
  };
}

function assertWhole(registry: SourceRegistry, records: readonly RegistryRecord[]): void {
  const names = new Set<string>();
  for (const record of records) {
    const name = nameOfRecord(record);
    if (names.has(name)) throw new TypeError(`${name} comes twice`);
    names.add(name);
  }
  for (const record of records) {
    if (!('key' in record)) continue;
    const { sourceIdentifier, keyId } = record.key;
    if (names.has(sourceIdentifier) || registry.find(sourceIdentifier)) continue;
    throw new TypeError(`key ${keyId} belongs to source ${sourceIdentifier}, which is neither here nor in the file`);
  }
}

function presentOf(registry: SourceRegistry, record: RegistryRecord): RegistryRecord | undefined {
  if ('source' in record) {
    const source = registry.find(record.source.sourceIdentifier);
    return source && { source };
  }
  const { sourceIdentifier, keyId } = record.key;
  const key = registry.keysOf(sourceIdentifier).find((one) => one.keyId === keyId);
  return key && { key };
}

const stillRevoked = (wanted: SourceKey, present: SourceKey): RegistryRecord => ({
  key: present.revokedAt === undefined ? wanted : { ...wanted, revokedAt: present.revokedAt },
});
