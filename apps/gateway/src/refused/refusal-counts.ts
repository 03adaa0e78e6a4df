import { TimedCounts } from './timed-counts.js';

/** A number of requests of one source, kind and reason. */
export interface RefusalTally {
  readonly source: string;
  readonly kind: string;
  readonly reason: string;
  readonly requests: number;
  /** Start of the bucket, milliseconds since 1970. */
  readonly time: number;
}

/** Counts requests by source, kind and reason, and by the time of their answer. */
export class RefusalCounts {
  private readonly counts = new TimedCounts();

  /** Without room, further sources and reasons share one count of each kind. */
  add(source: string, kind: string, reason: string, now?: number): void {
    this.counts.add(`${source}\n${kind}\n${reason}`, 1, `\n${kind}\nother`, now);
  }

  /** @see TimedCounts.take */
  take(now?: number, isLast?: boolean): RefusalTally[] {
    return this.counts.take(now, isLast).map(({ key, count, time }) => {
      const [source = '', kind = '', reason = ''] = key.split('\n');
      return { source, kind, reason, requests: count, time };
    });
  }
}
