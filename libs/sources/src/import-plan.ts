import { isDeepStrictEqual } from 'node:util';
import { type CompactedRecord } from '@sluice/kafka';
import { recordName, toRecord, type RegistryRecord } from './records.js';
import { type SourceRegistry } from './registry.js';
import { type SourceKey } from './source.js';

/** Records that an import would write, and how they compare with the registry. */
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
    const present = findPresent(registry, record);
    const content = 'key' in record && present && 'key' in present ? keepRevoked(record.key, present.key) : record;
    const state = present === undefined ? 'created' : isDeepStrictEqual(present, content) ? 'unchanged' : 'changed';
    return { name: recordName(record), content, state };
  });
  const listNames = (state: string): string[] =>
    compared.filter((entry) => entry.state === state).map(({ name }) => name);
  return {
    records: compared.filter(({ state }) => state !== 'unchanged').map(({ content }) => toRecord(content)),
    created: listNames('created'),
    changed: listNames('changed'),
    unchanged: listNames('unchanged').length,
  };
}

function assertWhole(registry: SourceRegistry, records: readonly RegistryRecord[]): void {
  const names = new Set<string>();
  for (const record of records) {
    const name = recordName(record);
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

function findPresent(registry: SourceRegistry, record: RegistryRecord): RegistryRecord | undefined {
  if ('source' in record) {
    const source = registry.find(record.source.sourceIdentifier);
    return source && { source };
  }
  const { sourceIdentifier, keyId } = record.key;
  const key = registry.listKeys(sourceIdentifier).find((sourceKey) => sourceKey.keyId === keyId);
  return key && { key };
}

const keepRevoked = (imported: SourceKey, present: SourceKey): RegistryRecord => ({
  key: present.revokedAt === undefined ? imported : { ...imported, revokedAt: present.revokedAt },
});
