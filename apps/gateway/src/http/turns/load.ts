const tickMs = 1_000;
/** Weight of a count one second later; after five seconds it is one half. */
const keptPerTick = 2 ** (-1 / 5);
/** Sum of the weights of all ticks, in seconds. */
const windowSeconds = 1 / (1 - keptPerTick);
const maxSeconds = 60;
const overloadedAfterTicks = 30;

/** Measures finished and refused requests; says when refused clients should retry. */
export class RequestLoad {
  /** Requests of the last seconds; older ones weigh less. */
  private finished = 0;
  private rejected = 0;
  /** Rejected requests whose source had used up its own part. */
  private ownFault = 0;
  /**
   * Number of consecutive seconds in which more requests were rejected than finished; rejections in `ownFault` do not
   * count.
   */
  private overloadedTicks = 0;

  /** @param inWork gives the number of requests in work now */
  constructor(private readonly inWork: () => number) {
    setInterval(() => this.tick(), tickMs).unref();
  }

  /** Counts a request that was worked on. */
  finish(): void {
    this.finished += 1;
  }

  /**
   * Counts a request that lacks a place, memory or time.
   * @param isOwnFault whether its source has used up its own part: another gateway need not get such requests
   */
  reject(isOwnFault = false): void {
    this.rejected += 1;
    if (isOwnFault) this.ownFault += 1;
  }

  /**
   * Time to finish all requests in work and all that were refused recently and will return, at the recent rate. The
   * result is random, from once to twice that time and within 1 to 60 s, so that clients do not return all at once.
   */
  retryAfterSeconds(random = Math.random()): number {
    const perSecond = Math.max(this.finished / windowSeconds, 1);
    const seconds = (this.inWork() + this.rejected) / perSecond;
    return Math.min(Math.max(1, Math.ceil(seconds * (1 + random))), maxSeconds);
  }

  /** True when most requests have been refused for half a minute: other gateways should get them. */
  get isOverloadedForLong(): boolean {
    return this.overloadedTicks > overloadedAfterTicks;
  }

  /** Called once a second. */
  tick(): void {
    this.overloadedTicks = this.rejected - this.ownFault > Math.max(this.finished, 1) ? this.overloadedTicks + 1 : 0;
    this.finished *= keptPerTick;
    this.rejected *= keptPerTick;
    this.ownFault *= keptPerTick;
  }
}
