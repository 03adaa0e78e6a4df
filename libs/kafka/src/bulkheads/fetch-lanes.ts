/** The state of a partition that decides whether more of it is fetched. */
export interface Fetchable {
  /** Known messages of the log that are not fetched yet. */
  readonly remaining: bigint;
  /** Time of its last fetched message, milliseconds of `performance.now()`. */
  readonly fetchedAt: number;
  /** True when its next block is complete. */
  readonly isFull: boolean;
}

/** Partitions with a backlog that are fetched at once. With two, one is fetched while the other's block is stored. */
const laneCount = 2;
/** Remaining messages below which a partition needs no lane. */
const nearEnd = 2_000n;
/** Time without messages, because the leader is down, after which a partition loses its lane. */
const stalledMs = 2_000;

/**
 * Fetches a few partitions of a backlog at a time until each has a full block. Full blocks cost ClickHouse least, and
 * filling all partitions' blocks at once would use up the memory before one of them is full.
 */
export class FetchLanes<P extends Fetchable> {
  /** Partitions with a backlog in the order in which they wait for a lane. The first ones have the lanes. */
  private line = new Set<P>();
  /** Time at which each partition got its lane. */
  private since = new Map<P, number>();
  /** Partitions that delivered nothing in a lane, and when they stalled. Fetched without a lane until they deliver. */
  private stalled = new Map<P, number>();

  /** Selects the partitions to fetch. To be called at least every second. */
  choose(partitions: readonly P[], now = performance.now()): Set<P> {
    const behind = new Set(partitions.filter(({ remaining }) => remaining > nearEnd));
    const stalled = [...behind].filter((partition) => this.isStalled(partition, now));
    this.stalled = new Map(stalled.map((partition) => [partition, this.stalled.get(partition) ?? now]));
    const waiting = [...this.line].filter(
      (partition) => behind.has(partition) && !partition.isFull && !this.stalled.has(partition),
    );
    // Partitions that have filled a block, are stalled or are new go to the end of the line.
    this.line = new Set([...waiting, ...behind]);
    const lanes = [...this.line]
      .filter((partition) => !partition.isFull && !this.stalled.has(partition))
      .slice(0, laneCount);
    this.since = new Map(lanes.map((partition) => [partition, this.since.get(partition) ?? now]));
    const outside = partitions.filter(
      (partition) => !partition.isFull && (!behind.has(partition) || this.stalled.has(partition)),
    );
    return new Set([...outside, ...lanes]);
  }

  /** True when more messages will soon come for the partition's block. */
  isFilling(partition: P): boolean {
    return this.line.has(partition) && !partition.isFull && !this.stalled.has(partition);
  }

  private isStalled(partition: P, now: number): boolean {
    const stalledAt = this.stalled.get(partition);
    if (stalledAt !== undefined) return partition.fetchedAt < stalledAt;
    const since = this.since.get(partition);
    return since !== undefined && now - Math.max(since, partition.fetchedAt) > stalledMs;
  }
}
