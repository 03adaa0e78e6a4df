/** So many requests at a time; a failure of one is that of all. */
export class InFlight {
  private readonly running = new Set<Promise<void>>();
  private failure: Error | undefined;

  constructor(private readonly limit: number) {}

  /** Begins when there is room. @throws what an earlier one threw. */
  async begin(work: () => Promise<void>): Promise<void> {
    while (this.running.size >= this.limit) await Promise.race(this.running);
    this.throwFailure();
    const running: Promise<void> = work()
      .catch((error: unknown) => {
        this.failure ??= error instanceof Error ? error : new Error(String(error));
      })
      .finally(() => this.running.delete(running));
    this.running.add(running);
  }

  /** Resolves when all are done. @throws what one of them threw. */
  async settle(): Promise<void> {
    await Promise.all(this.running);
    this.throwFailure();
  }

  private throwFailure(): void {
    if (this.failure !== undefined) throw this.failure;
  }
}
