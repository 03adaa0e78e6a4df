/** Width of a bucket: what charts show at their finest. */
export const acceptedEveryMs = 5_000;
/** Counts that wait while Kafka is down; later ones are counted without their source. */
const maxCounts = 20_000;
/** Counts that are sent at once. */
const maxTaken = 2_000;

export interface Accepted {
  readonly source: string;
  readonly messages: number;
  /** Time within the bucket, milliseconds since 1970. */
  readonly at: number;
}

/**
 * Counts accepted messages by source and by the time at which they were accepted: those of an outage of Kafka keep theirs.
 * Each bucket has a count without a source, also of nothing: it says that this process was there.
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
