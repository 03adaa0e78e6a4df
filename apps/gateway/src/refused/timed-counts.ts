/** Width of a bucket: the finest step of the charts. */
export const countedEveryMs = 5_000;
/** Width of the buckets of an outage in which the room for counts is used up. */
const wideEveryMs = 60_000;
/** Upper bound of counts that wait while Kafka is down. */
const maxCounts = 20_000;
/** Number of counts after which a call hands over no further bucket. */
const maxTaken = 2_000;

export interface TimedCount {
  readonly key: string;
  readonly count: number;
  /** Start of the bucket, milliseconds since 1970. */
  readonly time: number;
}

/** Counts by key and by the time at which they were counted, also those of an outage of Kafka. */
export class TimedCounts {
  private readonly buckets = new Map<number, Map<string, number>>();
  private size = 0;

  /** @param constant a key that each bucket has, with 0 at least; none by default */
  constructor(private readonly constant?: string) {}

  /** @param fallback the key that counts instead of a new one once the room is used up; there are few of them */
  add(key: string, count: number, fallback: string, now = Date.now()): void {
    const bucket = this.bucketAt(now);
    const countedKey = bucket.has(key) || this.size < maxCounts ? key : fallback;
    const present = bucket.get(countedKey);
    if (present === undefined) this.size += 1;
    bucket.set(countedKey, (present ?? 0) + count);
  }

  /** Begins the bucket of the present time, so that it has its constant key. */
  touch(now = Date.now()): void {
    this.bucketAt(now);
  }

  /** Hands over counts of buckets that have ended, oldest first. @param isLast true to hand over all buckets */
  take(now = Date.now(), isLast = false): TimedCount[] {
    const endedCounts: TimedCount[] = [];
    for (const [time, bucket] of this.buckets) {
      if (endedCounts.length >= maxTaken) break;
      // A bucket of a later time can be older, where the clock was set back.
      if (!isLast && time + countedEveryMs > now) continue;
      for (const [key, count] of bucket) endedCounts.push({ key, count, time });
      this.buckets.delete(time);
      this.size -= bucket.size;
    }
    return endedCounts;
  }

  private bucketAt(now: number): Map<string, number> {
    const width = this.size < maxCounts ? countedEveryMs : wideEveryMs;
    const time = Math.floor(now / width) * width;
    const existing = this.buckets.get(time);
    if (existing) return existing;
    const bucket = new Map(this.constant === undefined ? [] : [[this.constant, 0]]);
    this.size += bucket.size;
    this.buckets.set(time, bucket);
    return bucket;
  }
}
