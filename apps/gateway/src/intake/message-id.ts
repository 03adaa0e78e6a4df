import { hash } from 'node:crypto';
import { newId } from '../new-id.js';
import { type SourceRequest } from './source-request.js';

/**
 * Returns the id of a message. Without an Idempotency-Key it is a new UUID of version 7. With one it is a UUID of
 * version
 * 8 (RFC 9562) made from a hash, the same for the same item under the same key, so that a retry is stored once.
 */
export function messageIdOf(
  { sourceIdentifier, idempotencyKey }: Pick<SourceRequest, 'sourceIdentifier' | 'idempotencyKey'>,
  index: number,
  item: unknown,
): string {
  if (idempotencyKey === undefined) return newId();
  const digest = hash('sha256', JSON.stringify([sourceIdentifier, idempotencyKey, index, item]));
  const variant = ((parseInt(digest.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');
}
