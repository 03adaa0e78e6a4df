import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A new secret of 256 random bits, 43 characters of base64url. Only its hash is ever stored. */
export const createApiKey = (): string => randomBytes(32).toString('base64url');

export const hashApiKey = (apiKey: string): Buffer => hash('sha256', apiKey, 'buffer');

/** Compares in constant time. */
export const isSameHash = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);

export const createSourceIdentifier = (): string =>
  Array.from({ length: 12 }, () => letters[randomInt(letters.length)]).join('');

export const createKeyId = (): string => randomBytes(4).toString('hex');
