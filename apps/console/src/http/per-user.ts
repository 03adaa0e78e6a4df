import { tooMany } from './console-error.js';

/** Bounds the work of one kind that each user has running: it asks so much that one person must not take all. */
export class PerUser {
  private readonly running = new Map<string, number>();

  /**
   * @param max number of calls of a user at once
   * @param refusal sentence for one call more
   * @param retrySeconds time after which trying again makes sense
   */
  constructor(
    private readonly max: number,
    private readonly refusal: string,
    private readonly retrySeconds?: number,
  ) {}

  /** @throws ConsoleError 429 */
  async run<T>({ id }: { id: string }, work: () => Promise<T>): Promise<T> {
    const count = this.running.get(id) ?? 0;
    if (count >= this.max) throw tooMany(this.refusal, this.retrySeconds);
    this.running.set(id, count + 1);
    try {
      return await work();
    } finally {
      const runningCount = (this.running.get(id) ?? 1) - 1;
      if (runningCount > 0) this.running.set(id, runningCount);
      else this.running.delete(id);
    }
  }
}
