/** What is known of a partition when it is decided whether to fetch more of it. */
export interface Fetchable {
  /** Messages of the log that are not fetched yet, as far as is known. */
  readonly remaining: bigint;
  /** When it was last fetched of, in milliseconds of `performance.now()`. */
  readonly fetchedAt: number;
  /** Its next block is complete. */
  readonly isFull: boolean;
}

/** Two, so that one is fetched while the other's block is cut off; more would gather more at a time. */
const laneCount = 2;
/** Partitions that are this close to the end of their log share the fetches as they come. */
const nearEnd = 2_000n;
/** Time without messages, because the leader is away, after which a partition loses its lane. */
const stalledMs = 2_000;

/**
 * While there is a backlog, a few partitions at a time are fetched until each has a block: full blocks cost ClickHouse
 * least, and to fill those of all partitions at once would take all memory before the first is complete.
 */
export class FetchLanes<P extends Fetchable> {
  /** Those that are behind, in the order in which they wait for a lane: the first ones have them. */
  private line = new Set<P>();
  /** When those in a lane came into it. */
  private since = new Map<P, number>();
  /** Partitions that gave nothing in a lane, with the time it was seen. Fetched outside the lanes until they give. */
  private stalled = new Map<P, number>();

  /** Those of the partitions that are to be fetched. To be called again at least every second or so. */
  choose(partitions: readonly P[], now = performance.now()): Set<P> {
    const behind = new Set(partitions.filter(({ remaining }) => remaining > nearEnd));
    const stalled = [...behind].filter((one) => this.isStalled(one, now));
    this.stalled = new Map(stalled.map((one) => [one, this.stalled.get(one) ?? now]));
    const waiting = [...this.line].filter((one) => behind.has(one) && !one.isFull && !this.stalled.has(one));
    // Who has filled a block, or is stalled, goes to the end of the line, as do those who are new in it.
    this.line = new Set([...waiting, ...behind]);
    const lanes = [...this.line].filter((one) => !one.isFull && !this.stalled.has(one)).slice(0, laneCount);
    this.since = new Map(lanes.map((one) => [one, this.since.get(one) ?? now]));
    const beside = partitions.filter((one) => !one.isFull && (!behind.has(one) || this.stalled.has(one)));
    return new Set([...beside, ...lanes]);
  }

  /** More will soon come for its block. */
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
