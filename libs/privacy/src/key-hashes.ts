/**
 * Hashes of the Kafka keys `source:id` of all suppressed ids, each with the number of ids that have it. Most messages are
 * let pass by this number alone.
 */
export class KeyHashes {
  private readonly counts = new Map<number, number>();
  /** Number of anonymous ids: while there is none, a message with a user id need not be asked about both. */
  anonymous = 0;

  has(keyHash: number): boolean {
    return this.counts.has(keyHash);
  }

  add(keyHash: number): void {
    this.counts.set(keyHash, (this.counts.get(keyHash) ?? 0) + 1);
  }

  remove(keyHash: number): void {
    const others = (this.counts.get(keyHash) ?? 1) - 1;
    if (others > 0) this.counts.set(keyHash, others);
    else this.counts.delete(keyHash);
  }
}
