const fallbackSeconds = 30;
const maxSeconds = 300;
/** Part of the spool that must be free before a client should retry. */
const partToFree = 0.1;

/** Rate at which the spool empties: messages per second, averaged over some seconds. */
export class DrainRate {
  private readonly windowMs = 5_000;
  private drained: { time: number; messages: number }[] = [];

  get perSecond(): number {
    const since = performance.now() - this.windowMs;
    this.drained = this.drained.filter(({ time }) => time >= since);
    const [first] = this.drained;
    if (!first) return 0;
    const messages = this.drained.reduce((sum, batch) => sum + batch.messages, 0);
    return (messages * 1_000) / Math.max(1_000, performance.now() - first.time);
  }

  add(messages: number): void {
    this.drained.push({ time: performance.now(), messages });
  }

  reset(): void {
    this.drained = [];
  }

  /** Seconds until enough of `messages` have left the spool at the present rate; a fixed time while none leave. */
  secondsToFree(messages: number): number {
    const rate = this.perSecond;
    if (rate === 0) return fallbackSeconds;
    return Math.min(maxSeconds, Math.max(1, Math.ceil((messages * partToFree) / rate)));
  }
}
