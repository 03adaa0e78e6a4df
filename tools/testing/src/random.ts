/** Pseudorandom numbers (mulberry32); the same seed gives the same numbers. */
export class Random {
  constructor(private state: number) {}

  /** The next number, at least 0 and below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(min: number, max: number): number {
    return min + this.next() * (max - min);
  }

  /** A whole number from 0 to below the limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    const entry = list[this.below(list.length)];
    if (entry === undefined) throw new RangeError('nothing to pick from');
    return entry;
  }

  shuffled<T>(list: readonly T[]): T[] {
    const remaining = [...list];
    return list.map(() => remaining.splice(this.below(remaining.length), 1)).flat();
  }
}
