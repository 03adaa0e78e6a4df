/** An even flow of requests, and the number of them that may arrive at once. */
export interface RequestRate {
  readonly perSecond: number;
  readonly burst: number;
}

/** A rate whose burst is, by default, the requests of one second. */
export const makeRate = (perSecond: number, burst = Math.max(1, perSecond)): RequestRate => ({ perSecond, burst });

/** Longest wait caused by requests of other processes: after an outage they may add up to minutes. */
const maxDebtMs = 10_000;

/** Limits the requests of each source to a burst, then an even flow (GCRA). Times are of `performance.now()`. */
export class RateLimit {
  /** Time at which each source's flow has drained. */
  private readonly drainedAt = new Map<string, number>();
  private sweptAt = 0;
  /** Called for each counted request, so that other processes can count it too. */
  onTaken: ((source: string) => void) | undefined;

  /** @param rateFor gives the present rate of a source; undefined means no limit. */
  constructor(private readonly rateFor: (source: string) => RequestRate | undefined) {}

  /** Counts a request. Returns 0, or the milliseconds to wait when it exceeds the limit; it is not counted then. */
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
    const latest = Math.max(drainedAt, now + rate.burst * intervalMs + maxDebtMs);
    this.drainedAt.set(source, Math.min(drainedAt + requests * intervalMs, latest));
  }

  /** Forgets sources that were silent for a while. */
  private sweep(now: number): void {
    if (now - this.sweptAt < 60_000) return;
    this.sweptAt = now;
    for (const [source, drainedAt] of this.drainedAt) if (drainedAt <= now) this.drainedAt.delete(source);
  }
}
