/** Requests per second of each source: a burst of one second's worth, then an even flow (GCRA). */
export class RateLimit {
  /** When each source's flow has drained, on the monotonic clock of this process. */
  private readonly drainedAt = new Map<string, number>();
  private readonly intervalMs: number;
  private sweptAt = 0;
  /** Told of each request that was counted, so that others can count it too. */
  onTaken: ((source: string) => void) | undefined;

  /** 0 means no limit. */
  constructor(private readonly perSecond: number) {
    this.intervalMs = 1_000 / perSecond;
  }

  /** Counts a request; milliseconds to wait when it is one too many, else 0. */
  take(source: string, now = performance.now()): number {
    if (this.perSecond === 0) return 0;
    this.sweep(now);
    const drainedAt = Math.max(this.drainedAt.get(source) ?? 0, now);
    const waitMs = drainedAt + this.intervalMs - (now + 1_000);
    // Times near now are rounded to a quarter of a microsecond; that must not turn the last of a full burst away.
    if (waitMs > 0.5) return waitMs;
    this.drainedAt.set(source, drainedAt + this.intervalMs);
    this.onTaken?.(source);
    return 0;
  }

  get isOff(): boolean {
    return this.perSecond === 0;
  }

  /** Counts requests that another worker of this gateway has taken. */
  takenElsewhere(source: string, requests: number, now = performance.now()): void {
    const drainedAt = Math.max(this.drainedAt.get(source) ?? 0, now);
    this.drainedAt.set(source, drainedAt + requests * this.intervalMs);
  }

  /** Forgets sources that were silent for a while. */
  private sweep(now: number): void {
    if (now - this.sweptAt < 60_000) return;
    this.sweptAt = now;
    for (const [source, drainedAt] of this.drainedAt) if (drainedAt <= now) this.drainedAt.delete(source);
  }
}
