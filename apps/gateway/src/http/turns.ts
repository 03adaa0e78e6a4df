/**
 * Lets large bodies be worked on one at a time, and no more than half of the time. A maximal batch keeps the process busy
 * for many milliseconds; without this, those of 32 connections would be worked on one after the other while every small
 * request waits. In between, for as long as the last one took, all that is small and ready gets done.
 */
export class Turns {
  private readonly waiting: (() => void)[] = [];
  private isRunning = false;

  /** Calls the work when it is its turn. */
  take(work: () => void): void {
    this.waiting.push(work);
    if (this.isRunning) return;
    this.isRunning = true;
    setImmediate(this.next);
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
      setTimeout(this.next, tookMs);
    });
  };
}
