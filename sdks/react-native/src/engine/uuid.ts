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
      return uuidOf(bytes);
    }
  }
  return uuidOf(gatheredBytes());
}

/** @param bytes 16 random bytes */
function uuidOf(bytes: ArrayLike<number>): string {
  const hex = Array.from(bytes, (byte, at) => {
    if (at === 6) return 0x40 | (byte & 0x0f);
    return at === 8 ? 0x80 | (byte & 0x3f) : byte;
  }).map((byte) => byte.toString(16).padStart(2, '0'));
  return [4, 6, 8, 10, byteCount].map((end, at, ends) => hex.slice(ends[at - 1] ?? 0, end).join('')).join('-');
}

/** State of the generator: four words of 32 bits. */
let pool: number[] | undefined;
let drawn = 0;

/**
 * Bytes for an engine without `crypto`. `Math.random` alone is not enough, because engines may seed it with 32 bits: of
 * 80,000 devices two would probably get the same id. The pool also takes the time of the start, and how long short
 * loops take.
 */
export function gatheredBytes(): number[] {
  pool ??= newPool();
  mix(pool, engineClock.monotonic() * 1_000 + drawn++);
  mix(pool, Math.random() * 2 ** 32);
  return Array.from({ length: byteCount }, (_, at) => {
    if (at % 4 === 0) mix(pool ?? [], at);
    return ((pool?.[at >> 2] ?? 0) >>> (8 * (at % 4))) & 0xff;
  });
}

const samples = 16;
const maxRounds = 500;

function newPool(): number[] {
  const words = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 0xdeadbeef];
  mix(words, Date.now());
  for (let sample = 0; sample < samples; sample++) {
    mix(words, Math.random() * 2 ** 32);
    mix(words, loopsInATick());
  }
  return words;
}

/** Counts rounds of a loop until the clock moves on, and adds its time: they vary with what else the device does. */
function loopsInATick(): number {
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
    const at = round % words.length;
    let word = (words[at] ?? 0) ^ (parts[round % parts.length] ?? 0) ^ carried;
    word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
    word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
    carried = words[at] = (word ^ (word >>> 16)) >>> 0;
  }
}
