import { type Place } from '../protocol/block.js';

/** A lagging partition of which nothing is fetched: the age of its oldest message is unknown. */
export interface Waiting extends Place {
  /** The offset of the message that is to be fetched next. */
  readonly position: bigint;
}

/** Remembers since when partitions wait for their next message, counted from the first look that found them waiting. */
export class BehindSince {
  private since = new Map<string, { readonly position: bigint; readonly at: number }>();

  /**
   * Takes all partitions that wait now and forgets others. A partition whose position changed begins again.
   * @returns the time at which each was first seen to wait, milliseconds of `performance.now()`.
   */
  look(waiting: readonly Waiting[], now = performance.now()): number[] {
    const before = this.since;
    this.since = new Map();
    return waiting.map(({ topic, partition, position }) => {
      const key = `${topic}:${partition}`;
      const known = before.get(key);
      const seen = known?.position === position ? known : { position, at: now };
      this.since.set(key, seen);
      return seen.at;
    });
  }
}
