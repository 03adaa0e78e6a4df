import { partitionKey, type TopicPartition } from '../protocol/block.js';

/** A lagging partition of which nothing is fetched: the age of its oldest message is unknown. */
export interface Waiting extends TopicPartition {
  /** The offset of the message that is to be fetched next. */
  readonly position: bigint;
}

/** Remembers since when partitions wait for their next message, counted from the first look that found them waiting. */
export class BehindSince {
  private since = new Map<string, { readonly position: bigint; readonly firstSeenAt: number }>();

  /**
   * Takes all partitions that wait now and forgets others. A partition whose position changed begins again.
   * @returns the time at which each was first seen to wait, milliseconds of `performance.now()`.
   */
  look(waiting: readonly Waiting[], now = performance.now()): number[] {
    const previousWaits = this.since;
    this.since = new Map();
    return waiting.map(({ position, ...place }) => {
      const key = partitionKey(place);
      const previous = previousWaits.get(key);
      const wait = previous?.position === position ? previous : { position, firstSeenAt: now };
      this.since.set(key, wait);
      return wait.firstSeenAt;
    });
  }
}
