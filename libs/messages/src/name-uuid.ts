import { hash } from 'node:crypto';

/**
 * UUID of version 8 (RFC 9562) from a hash of the name.
 * @param name must not contain lone surrogates; the output of JSON.stringify never does
 */
export function nameUuid(name: string): string {
  const digest = hash('sha256', name);
  const variant = '89ab'.charAt(parseInt(digest.charAt(16), 16) & 0x3);
  const [a, b, c, d] = [digest.slice(0, 8), digest.slice(8, 12), digest.slice(13, 16), digest.slice(17, 20)];
  return `${a}-${b}-8${c}-${variant}${d}-${digest.slice(20, 32)}`;
}
