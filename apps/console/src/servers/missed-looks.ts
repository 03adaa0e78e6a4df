/** Looks must fail for so long before a server counts as unreachable: a hiccup of a second is not an outage. */
const hiccupMs = 1_500;

/** Counts looks at one server without an answer, until they are an outage. */
export class MissedLooks {
  private firstStartedAt: number | undefined;

  /** Notes an answer, which ends a hiccup and an outage. */
  answer(): void {
    this.firstStartedAt = undefined;
  }

  /**
   * Notes a look without an answer; both times are those of `performance.now()`.
   * @returns the age of the outage in milliseconds; undefined while it may be a hiccup, which one look always may be
   */
  miss(startedAt: number, endedAt: number): number | undefined {
    const isFirst = this.firstStartedAt === undefined;
    this.firstStartedAt ??= startedAt;
    const ageMs = endedAt - this.firstStartedAt;
    return isFirst || ageMs < hiccupMs ? undefined : ageMs;
  }
}
