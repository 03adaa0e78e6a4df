import { createSecretKey, type KeyObject } from 'node:crypto';

/** Keys of tracking tokens by `kid`, in the order in which they were given. Each of them opens tokens. */
export type KeyRing = ReadonlyMap<string, KeyObject>;

const entryPattern = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9_-]{43})$/;

/**
 * Reads `kid:key,kid:key`, each key 32 bytes as base64url. The empty text is an empty ring.
 * @throws TypeError that names the wrong entry by its position, never a key.
 */
export function parseKeyRing(text: string): KeyRing {
  const ring = new Map<string, KeyObject>();
  for (const [index, part] of text === '' ? [] : text.split(',').entries()) {
    const [, kid, key] = entryPattern.exec(part.trim()) ?? [];
    const bytes = Buffer.from(key ?? '', 'base64url');
    if (kid === undefined || bytes.length !== 32) {
      throw new TypeError(`entry ${index + 1} must be <kid>:<32 bytes as base64url>`);
    }
    if (ring.has(kid)) throw new TypeError(`entry ${index + 1} repeats a kid`);
    ring.set(kid, createSecretKey(bytes));
  }
  return ring;
}
