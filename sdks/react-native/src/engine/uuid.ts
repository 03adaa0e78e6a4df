import { engineClock } from './clock.js';

declare const crypto:
  { readonly randomUUID?: () => string; readonly getRandomValues?: (bytes: Uint8Array) => unknown } | undefined;

const byteCount = 16;

/**
 * A new version 4 UUID, from the best source that is there: `crypto.randomUUID`, `crypto.getRandomValues` (which
 * react-native-get-random-values adds), else a generator of our own.
 */
export function uuid(): string {
  if (typeof crypto === 'object') {
    if (crypto.randomUUID) return crypto.randomUUID();
    const bytes = new Uint8Array(byteCount);
    if (crypto.getRandomValues) {
      crypto.getRandomValues(bytes);
      return formatUuid(bytes);
    }
  }
  return formatUuid(gatherBytes());
}

/** @param bytes 16 random bytes */
function formatUuid(bytes: ArrayLike<number>): string {
  const hex = Array.from(bytes, (byte, index) => {
    if (index === 6) return 0x40 | (byte & 0x0f);
    return index === 8 ? 0x80 | (byte & 0x3f) : byte;
  }).map((byte) => byte.toString(16).padStart(2, '0'));
  return [4, 6, 8, 10, byteCount].map((end, index, ends) => hex.slice(ends[index - 1] ?? 0, end).join('')).join('-');
}

/** State of the generator: four words of 32 bits. */
let pool: number[] | undefined;
let draws = 0;

/**
 * Bytes for an engine without `crypto`. `Math.random` alone is not enough, because engines may seed it with 32 bits: of
 * 80,000 devices two would probably get the same id. The pool also takes the time of the start, and how long short
 * loops take.
 */
export function gatherBytes(): number[] {
  pool ??= newPool();
  mix(pool, engineClock.monotonic() * 1_000 + draws++);
  mix(pool, Math.random() * 2 ** 32);
  return Array.from({ length: byteCount }, (_, index) => {
    if (index % 4 === 0) mix(pool ?? [], index);
    return ((pool?.[index >> 2] ?? 0) >>> (8 * (index % 4))) & 0xff;
  });
}

const samples = 16;
const maxRounds = 500;

function newPool(): number[] {
  const words = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 0xdeadbeef];
  mix(words, Date.now());
  for (let sample = 0; sample < samples; sample++) {
    mix(words, Math.random() * 2 ** 32);
    mix(words, countLoopsInTick());
  }
  return words;
}

/** Counts rounds of a loop until the clock moves on, and adds its time: they vary with what else the device does. */
function countLoopsInTick(): number {
  const start = engineClock.monotonic();
  let rounds = 0;
  while (rounds < maxRounds && engineClock.monotonic() === start) rounds++;
  return rounds + engineClock.monotonic() * 1_000;
}

/** Stirs a number into the words: multiply and shift, as in the last step of MurmurHash3. */
function mix(words: number[], value: number): void {
  const parts = [value >>> 0, Math.floor(value / 2 ** 32) >>> 0, Math.floor((value % 1) * 2 ** 32) >>> 0];
  let carried = 0;
  for (let round = 0; round < words.length * 2; round++) {
    const index = round % words.length;
    let word = (words[index] ?? 0) ^ (parts[round % parts.length] ?? 0) ^ carried;
    word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
    word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
    carried = words[index] = (word ^ (word >>> 16)) >>> 0;
  }
}
