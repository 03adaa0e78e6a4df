import { hash } from 'node:crypto';
import { newId } from '../new-id.js';
import { type SourceRequest } from './source-request.js';

/**
 * The id of a message: new for each, but with an Idempotency-Key the same for the same item under the same key, so that
 * a retry is stored once. A UUID of version 7, or of version 8 (RFC 9562) made of the hash.
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
