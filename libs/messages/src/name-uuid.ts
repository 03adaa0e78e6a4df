import { hash } from 'node:crypto';

/** UUID of version 8 (RFC 9562), made from a hash: the same for the same value. @param name any value of JSON */
export function nameUuid(name: unknown): string {
  const digest = hash('sha256', JSON.stringify(name));
  const variant = ((parseInt(digest.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');
}
