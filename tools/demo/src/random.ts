import { hash } from 'node:crypto';

/** Pseudorandom numbers (mulberry32); the same seed gives the same numbers. */
export class SeededRandom {
  private state: number;

  constructor(seed: string) {
    this.state = Number.parseInt(hash('sha256', seed).slice(0, 8), 16);
  }

  /** At least 0 and below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number between the bounds; both bounds are possible. */
  wholeNumber(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  pick<T>(list: readonly T[]): T {
    const chosen = list[Math.floor(this.next() * list.length)];
    if (chosen === undefined) throw new RangeError('there is nothing to pick from');
    return chosen;
  }

  /** Picks earlier elements far more often: few products are popular. */
  pickPopular<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() ** 3 * list.length)] ?? this.pick(list);
  }
}
