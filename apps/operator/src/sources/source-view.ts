import { type Source, type SourceKey, type SourceRegistry } from '@sluice/sources';

/** A key as it is shown: without its hash. */
export type KeyView = Pick<SourceKey, 'keyId' | 'createdAt' | 'revokedAt'>;

/** A source as it is shown: with its keys, oldest first. */
export type SourceView = Source & { keys: KeyView[] };

// Field by field: what is added to the records later is not shown by accident.
export function viewSource(
  { sourceIdentifier, name, type, status, createdAt, limits, origins }: Source,
  registry: SourceRegistry,
): SourceView {
  const keys = registry.keysOf(sourceIdentifier).map(viewKey);
  return {
    sourceIdentifier,
    name,
    type,
    status,
    createdAt,
    ...(limits && { limits }),
    ...(origins && { origins }),
    keys,
  };
}

const viewKey = ({ keyId, createdAt, revokedAt }: SourceKey): KeyView => ({
  keyId,
  createdAt,
  ...(revokedAt !== undefined && { revokedAt }),
});
