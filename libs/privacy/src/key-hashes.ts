const bitMask = 2 ** 21 - 1;
const bitsPerWord = 32;
const wordShift = 5;

/**
 * Hashes of the Kafka keys `source:id` of all suppressed ids, each with the number of ids that have it. Most messages
 * pass because their hash is not among them.
 */
export class KeyHashes {
  private readonly counts = new Map<number, number>();
  /** A bit by the low 21 bits of each hash that was ever added: small enough for the cache of a processor. */
  private readonly bits = new Int32Array((bitMask + 1) / bitsPerWord);
  /** Number of anonymous ids: while it is 0, the anonymous id of a message with a user id need not be checked. */
  anonymousCount = 0;

  has(keyHash: number): boolean {
    const bit = keyHash & bitMask;
    if (((this.bits[bit >>> wordShift] ?? 0) & (1 << bit)) === 0) return false;
    return this.counts.has(keyHash);
  }

  add(keyHash: number): void {
    const bit = keyHash & bitMask;
    this.bits[bit >>> wordShift] = (this.bits[bit >>> wordShift] ?? 0) | (1 << bit);
    this.counts.set(keyHash, (this.counts.get(keyHash) ?? 0) + 1);
  }

  remove(keyHash: number): void {
    const remaining = (this.counts.get(keyHash) ?? 1) - 1;
    if (remaining > 0) this.counts.set(keyHash, remaining);
    else this.counts.delete(keyHash);
  }
}
