import { type Loss } from '../protocol/committed.js';

/** Time after which losses count without a commit that has passed them: no message may come that leads to a commit. */
const maxMs = 10_000;

/**
 * Losses that a partition's commit shows at assignment. The next owner finds them again until a commit has passed them,
 * so they count only then: otherwise a group that rebalances twice in a second would count them twice.
 */
export class FoundLosses {
  private losses: readonly Loss[] = [];
  private foundAt = 0;

  replace(losses: readonly Loss[], now = performance.now()): void {
    this.losses = losses;
    this.foundAt = now;
  }

  /** The first lost offset that is not counted yet. */
  get first(): bigint | undefined {
    return this.losses[0]?.from;
  }

  /** Takes the losses that a commit of this offset has passed. */
  passedBy(offset: bigint): Loss[] {
    return this.take(({ to }) => to <= offset);
  }

  /** Takes the losses that have waited for `maxMs`. */
  overdue(now = performance.now()): Loss[] {
    return this.take(() => now - this.foundAt > maxMs);
  }

  private take(isDue: (loss: Loss) => boolean): Loss[] {
    const dueLosses = this.losses.filter(isDue);
    this.losses = this.losses.filter((loss) => !dueLosses.includes(loss));
    return dueLosses;
  }
}
