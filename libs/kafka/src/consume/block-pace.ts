import { usualInsertsPerSecond } from '../connection/config.js';

const maxAgeMs = 10_000;
/** A partition that stored nothing for this long does not count as active. */
const activeMs = 5_000;

/**
 * Sets the age at which a block is stored, counted from when the one before it was cut off. It grows with the number of
 * active partitions and with slow INSERTs, to keep INSERTs few. Up to a mean of 5 s, they take at most half the time.
 */
export class BlockPace {
  private readonly lastBlockAt = new Map<string, number>();
  private meanInsertMs = 0;

  /** @param insertsPerSecond bound of the INSERTs that age alone causes; full blocks do not wait */
  constructor(
    private readonly minAgeMs: number,
    private readonly insertsPerSecond = usualInsertsPerSecond,
  ) {}

  stored(partition: string, tookMs: number, now = performance.now()): void {
    this.lastBlockAt.set(partition, now);
    this.meanInsertMs += (tookMs - this.meanInsertMs) / 8;
  }

  maxAgeMs(now = performance.now()): number {
    let active = 0;
    for (const [partition, storedAt] of this.lastBlockAt) {
      if (now - storedAt > activeMs + maxAgeMs) this.lastBlockAt.delete(partition);
      else if (now - storedAt <= activeMs) active += 1;
    }
    const age = Math.max((active * 1_000) / this.insertsPerSecond, 2 * this.meanInsertMs);
    return Math.max(this.minAgeMs, Math.min(age, maxAgeMs));
  }
}
