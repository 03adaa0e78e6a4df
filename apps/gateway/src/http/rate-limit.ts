/** An even flow of requests and how many of them may come at once. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** The rate that lets through as many as come within one second. */
export const rateOf = (perSecond: number, burst = Math.max(1, perSecond)): Rate => ({ perSecond, burst });

/** Longest wait caused by requests of other processes: after an outage they may add up to minutes. */
const longestDebtMs = 10_000;

/** Requests of each source: a burst, then an even flow (GCRA). Times are of `performance.now()`. */
export class RateLimit {
  /** Time at which each source's flow has drained. */
  private readonly drainedAt = new Map<string, number>();
  private sweptAt = 0;
  /** Told of each request that was counted, so that others can count it too. */
  onTaken: ((source: string) => void) | undefined;

  /** @param rateFor the rate of a source at this moment; undefined for no limit. */
  constructor(private readonly rateFor: (source: string) => Rate | undefined) {}

  /** Counts a request; milliseconds to wait when it is one too many, else 0. */
  take(source: string, now = performance.now()): number {
    const rate = this.rateFor(source);
    if (!rate) return 0;
    this.sweep(now);
    const intervalMs = 1_000 / rate.perSecond;
    const drainedAt = Math.max(this.drainedAt.get(source) ?? 0, now);
    const waitMs = drainedAt + intervalMs - (now + rate.burst * intervalMs);
    // Times are rounded: half a millisecond of tolerance keeps the last request of a full burst.
    if (waitMs > 0.5) return waitMs;
    this.drainedAt.set(source, drainedAt + intervalMs);
    this.onTaken?.(source);
    return 0;
  }

  /** Counts requests that another process has taken. */
  takenElsewhere(source: string, requests: number, now = performance.now()): void {
    const rate = this.rateFor(source);
    if (!rate) return;
    const intervalMs = 1_000 / rate.perSecond;
    const drainedAt = Math.max(this.drainedAt.get(source) ?? 0, now);
    const latest = Math.max(drainedAt, now + rate.burst * intervalMs + longestDebtMs);
    this.drainedAt.set(source, Math.min(drainedAt + requests * intervalMs, latest));
  }

  /** Forgets sources that were silent for a while. */
  private sweep(now: number): void {
    if (now - this.sweptAt < 60_000) return;
    this.sweptAt = now;
    for (const [source, drainedAt] of this.drainedAt) if (drainedAt <= now) this.drainedAt.delete(source);
  }
}
