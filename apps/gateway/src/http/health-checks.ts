/** Health checks per second that wait for no turn: more than all load balancers of a gateway send. */
const freePerSecond = 20;

/** Lets a few health checks pass at once, because they matter most under overload. Anybody may send them. */
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
