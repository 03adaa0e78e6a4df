/** Part of the event loop's time that compiling may take. */
const share = 0.1;
const maxWaiting = 256;

/**
 * Compiles in turns: an event of a plan costs milliseconds, and the first batch after an activation
 * can bring a hundred of them.
 */
export class CompileQueue {
  private readonly waiting: (() => void)[] = [];
  private isRunning = false;

  /**
   * Puts it last.
   * @param compile must not throw
   * @returns false when the queue is full: the caller asks again at its next use
   */
  add(compile: () => void): boolean {
    if (this.waiting.length >= maxWaiting) return false;
    this.waiting.push(compile);
    if (!this.isRunning) this.runNextAfter(0);
    return true;
  }

  private runNextAfter(milliseconds: number): void {
    this.isRunning = true;
    setTimeout(() => this.runNext(), milliseconds).unref();
  }

  private runNext(): void {
    const compile = this.waiting.shift();
    this.isRunning = compile !== undefined;
    if (!compile) return;
    const start = performance.now();
    compile();
    this.runNextAfter((performance.now() - start) * (1 / share - 1));
  }
}
