const tickMs = 200;
/** Time since the last tick beyond which the process counts as stopped or blocked. */
const maxMs = 600;

/** Notices that the process was stopped or blocked for a while. */
export class Standstill {
  private tickedAt = performance.now();
  private timer: NodeJS.Timeout | undefined;

  start(): void {
    this.forget();
    this.timer = setInterval(() => {
      if (!this.hasBegun) this.forget();
    }, tickMs).unref();
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** True from a standstill until it is forgotten. */
  get hasBegun(): boolean {
    return this.timer !== undefined && performance.now() - this.tickedAt > maxMs;
  }

  forget(): void {
    this.tickedAt = performance.now();
  }
}
