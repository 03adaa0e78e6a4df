import { randomInt } from 'node:crypto';

/**
 * Hashes of 32 bits, of names and of paths of names. They are keyed by the process: a client that knew two paths of one
 * hash could store both as one.
 */
const key = randomInt(2 ** 32 - 1) | 0;
const factor = randomInt(2 ** 31 - 1) | 1;

export function hashName(name: string): number {
  let hash = key;
  for (let i = 0; i < name.length; i++) {
    hash = Math.imul(hash ^ name.charCodeAt(i), factor);
    hash ^= hash >>> 15;
  }
  return hash;
}

/** The hash of a member's path. @param parent of the object that has the member */
export function hashPath(parent: number, name: number): number {
  const hash = Math.imul(((parent << 5) | (parent >>> 27)) ^ name, factor);
  return hash ^ (hash >>> 16);
}

/** The hash of a member whose name has dots: ClickHouse reads each as a level. */
export const hashDottedPath = (parent: number, name: string): number =>
  name.split('.').reduce((hash, part) => hashPath(hash, hashName(part)), parent);
