import { TimedCounts } from './timed-counts.js';

export interface AcceptedCount {
  readonly source: string;
  readonly messages: number;
  /** Start of the bucket, milliseconds since 1970. */
  readonly time: number;
}

/**
 * Counts accepted messages by source and by the time of their acceptance. Each bucket has a count without a source, even
 * of zero, which shows that this process was running.
 */
export class AcceptedCounts {
  private readonly counts = new TimedCounts('');

  add(source: string, messages: number, now?: number): void {
    this.counts.add(source, messages, '', now);
  }

  /** Shows that the process is running. */
  touch(now?: number): void {
    this.counts.touch(now);
  }

  /** @see TimedCounts.take */
  take(now?: number, isLast?: boolean): AcceptedCount[] {
    return this.counts.take(now, isLast).map(({ key, count, time }) => ({ source: key, messages: count, time }));
  }
}
