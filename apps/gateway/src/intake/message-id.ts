import { nameUuid } from '@sluice/messages';
import { newId } from '../new-id.js';
import { type SourceRequest } from './source-request.js';

/**
 * Returns the id of a message. Without an Idempotency-Key it is a new UUID of version 7. With one it is a UUID of
 * version 8 (RFC 9562) made from a hash, the same for the same item under the same key, so that a retry is stored once.
 */
export function createMessageId(
  { sourceIdentifier, idempotencyKey }: Pick<SourceRequest, 'sourceIdentifier' | 'idempotencyKey'>,
  index: number,
  item: unknown,
): string {
  if (idempotencyKey === undefined) return newId();
  return nameUuid(JSON.stringify([sourceIdentifier, idempotencyKey, index, item]));
}
