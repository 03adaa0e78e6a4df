/** Who would have to wait longer is better told so at once. */
const longestWaitMs = 2_000;

/**
 * Lets large bodies be worked on one at a time, and no more than half of the time while there are small ones too. A
 * maximal batch keeps the process busy for many milliseconds; without this, those of 32 connections would be worked on
 * one after the other while every small request waits. In between, for as long as the last one took, all that is small
 * and ready gets done.
 */
export class Turns {
  private readonly waiting: (() => void)[] = [];
  private isRunning = false;
  private sawOthers = false;
  /** Of a turn and the rest after it, on average of the last ones. */
  private turnMs = 0;

  /** Milliseconds until a new one would have its turn, as far as can be told. */
  get waitMs(): number {
    return this.waiting.length * this.turnMs;
  }

  /** Calls the work when it is its turn. False when that is too far off. */
  take(work: () => void): boolean {
    if (this.waitMs > longestWaitMs) return false;
    this.waiting.push(work);
    if (!this.isRunning) {
      this.isRunning = true;
      setImmediate(this.next);
    }
    return true;
  }

  /** To be called for each request that waits for no turn: there is a reason to rest. */
  others(): void {
    this.sawOthers = true;
  }

  private readonly next = (): void => {
    const work = this.waiting.shift();
    if (!work) {
      this.isRunning = false;
      return;
    }
    const startedAt = performance.now();
    work();
    // What the work leaves to promises is done before this: its time is known only then.
    setImmediate(() => {
      const tookMs = performance.now() - startedAt;
      const restMs = this.sawOthers ? tookMs : 0;
      this.sawOthers = false;
      this.turnMs = this.turnMs * 0.8 + (tookMs + restMs) * 0.2;
      if (restMs > 0) setTimeout(this.next, restMs);
      else this.next();
    });
  };
}
