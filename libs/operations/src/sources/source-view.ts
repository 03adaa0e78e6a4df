import { type KeyView, type SourceView } from '@sluice/console-api';
import { type Source, type SourceKey, type SourceRegistry } from '@sluice/sources';

/** A source for display, with its keys, oldest first, without their hashes. */
// Copied field by field, so that fields added to the records later are not shown by accident.
export function viewSource(
  { sourceIdentifier, name, type, status, createdAt, limits, origins, userAgent, segment, pii, requireConsent }: Source,
  registry: SourceRegistry,
): SourceView {
  const keys = registry.listKeys(sourceIdentifier).map(viewKey);
  return {
    sourceIdentifier,
    name,
    type,
    status,
    createdAt,
    ...(limits && { limits }),
    ...(origins && { origins }),
    ...(userAgent && { userAgent }),
    ...(segment && { segment }),
    ...(pii && { pii }),
    ...(requireConsent !== undefined && { requireConsent }),
    keys,
  };
}

const viewKey = ({ keyId, createdAt, revokedAt }: SourceKey): KeyView => ({
  keyId,
  createdAt,
  ...(revokedAt !== undefined && { revokedAt }),
});
