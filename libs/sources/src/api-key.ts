import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A new secret of 256 random bits, 43 characters of base64url. Only its hash is ever stored. */
export const createApiKey = (): string => randomBytes(32).toString('base64url');

export const hashApiKey = (apiKey: string): Buffer => hash('sha256', apiKey, 'buffer');

/** Compares in constant time. */
export const isSameHash = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);

/** Compares in a time that depends only on the lengths. */
export function isSameKey(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < b.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}

export const createSourceIdentifier = (): string =>
  Array.from({ length: 12 }, () => letters[randomInt(letters.length)]).join('');

export const createKeyId = (): string => randomBytes(4).toString('hex');
