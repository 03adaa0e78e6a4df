import { type PrivacyKey, type Subject } from '@sluice/privacy';
import { OperationError } from '../operation-error.js';
import { type Erasure, type SealedIds } from './erasure.js';
import { type PersonId } from './people.js';

export const sealIds = (key: PrivacyKey, request: string, ids: SealedIds): string =>
  key.seal(JSON.stringify(ids), `erasure ${request}`);

/** @throws OperationError when the ids were dropped, or another key sealed them. */
export function openIds(key: PrivacyKey, { request, keyId, sealed }: Erasure): SealedIds {
  if (sealed === undefined) throw new OperationError(`erasure ${request} is closed: its ids are gone`);
  if (keyId !== key.id)
    throw new OperationError(
      `erasure ${request} was sealed with another PRIVACY_KEY (${keyId}), this one is ${key.id}`,
    );
  return JSON.parse(key.open(sealed, `erasure ${request}`)) as SealedIds;
}

/** The ids that gateways and consumers can suppress. */
export const toSubjects = (ids: readonly PersonId[]): Subject[] =>
  ids.flatMap(({ source, kind, id }) => (kind === 'seller' ? [] : [{ source, kind, id }]));

export function countByKind(ids: readonly PersonId[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of ids) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
