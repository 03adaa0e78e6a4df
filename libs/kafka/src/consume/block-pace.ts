/** INSERTs per second at most, of all partitions together, that come of age alone; full blocks do not wait. */
const insertsPerSecond = 12;
const longestAgeMs = 10_000;
/** A partition that stored nothing for this long does not count. */
const activeMs = 5_000;

/**
 * How old a block may become, from when the one before it was cut off: longer with many active partitions or slow
 * INSERTs, so that these stay few. Of its time a partition stores half at most.
 */
export class BlockPace {
  private readonly lastBlockAt = new Map<string, number>();
  private meanInsertMs = 0;

  constructor(private readonly leastAgeMs: number) {}

  stored(partition: string, tookMs: number, now = performance.now()): void {
    this.lastBlockAt.set(partition, now);
    this.meanInsertMs += (tookMs - this.meanInsertMs) / 8;
  }

  maxAgeMs(now = performance.now()): number {
    let active = 0;
    for (const [partition, at] of this.lastBlockAt) {
      if (now - at > activeMs + longestAgeMs) this.lastBlockAt.delete(partition);
      else if (now - at <= activeMs) active += 1;
    }
    const age = Math.max((active * 1_000) / insertsPerSecond, 2 * this.meanInsertMs);
    return Math.max(this.leastAgeMs, Math.min(age, longestAgeMs));
  }
}
