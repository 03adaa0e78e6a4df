/** Runs at most `limit` requests at a time. After one request has failed, no other begins. */
export class InFlight {
  private readonly running = new Set<Promise<void>>();
  private failure: Error | undefined;

  constructor(private readonly limit: number) {}

  /** Waits for a free place, then begins the work. @throws the error of an earlier request. */
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

  /** Resolves when all requests are done. @throws the first error of a request. */
  async settle(): Promise<void> {
    await Promise.all(this.running);
    this.throwFailure();
  }

  private throwFailure(): void {
    if (this.failure !== undefined) throw this.failure;
  }
}
