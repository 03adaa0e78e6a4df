/** Width of a bucket: the finest step of the charts. */
export const acceptedEveryMs = 5_000;
/** Upper bound of counts that wait while Kafka is down; later messages are counted without their source. */
const maxCounts = 20_000;
/** Number of counts after which a call hands over no further bucket. */
const maxTaken = 2_000;

export interface Accepted {
  readonly source: string;
  readonly messages: number;
  /** Start of the bucket, milliseconds since 1970. */
  readonly at: number;
}

/**
 * Counts accepted messages by source and by the time of their acceptance, also those of an outage of Kafka. Each bucket
 * has a count without a source, even of zero, which shows that this process was running.
 */
export class AcceptedCounts {
  private readonly buckets = new Map<number, Map<string, number>>();
  private size = 0;

  add(source: string, messages: number, now = Date.now()): void {
    const bucket = this.bucketOf(now);
    const key = bucket.has(source) || this.size < maxCounts ? source : '';
    const known = bucket.get(key);
    if (known === undefined) this.size += 1;
    bucket.set(key, (known ?? 0) + messages);
  }

  /** Hands over counts of buckets that have ended, oldest first. */
  take(now = Date.now()): Accepted[] {
    this.bucketOf(now);
    const taken: Accepted[] = [];
    for (const [start, bucket] of this.buckets) {
      if (start + acceptedEveryMs > now || taken.length >= maxTaken) break;
      for (const [source, messages] of bucket) taken.push({ source, messages, at: start });
      this.buckets.delete(start);
      this.size -= bucket.size;
    }
    return taken;
  }

  private bucketOf(now: number): Map<string, number> {
    const start = Math.floor(now / acceptedEveryMs) * acceptedEveryMs;
    const known = this.buckets.get(start);
    if (known) return known;
    const fresh = new Map([['', 0]]);
    this.size += 1;
    this.buckets.set(start, fresh);
    return fresh;
  }
}
