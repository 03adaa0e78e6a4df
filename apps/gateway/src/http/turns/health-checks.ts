/** Health checks per second that need not wait for a turn: more than all load balancers of a gateway send. */
const freePerSecond = 20;

/** Lets health checks pass at once, because they matter most under overload; only a few, because anyone may ask. */
export class HealthChecks {
  private second = 0;
  private passed = 0;

  /** Whether this check need not wait for its turn. */
  isFree(now = performance.now()): boolean {
    const second = Math.floor(now / 1_000);
    if (second !== this.second) [this.second, this.passed] = [second, 0];
    this.passed += 1;
    return this.passed <= freePerSecond;
  }
}
