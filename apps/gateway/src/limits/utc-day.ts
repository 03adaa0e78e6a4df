const dayMs = 24 * 60 * 60 * 1_000;

/** The clocks of a process, for a test to replace. */
export interface Clocks {
  /** Milliseconds since 1970; may jump. */
  wall: () => number;
  /** Milliseconds since whenever; never jumps. */
  steady: () => number;
}
export const realClocks: Clocks = { wall: () => Date.now(), steady: () => performance.now() };

/**
 * The present day, UTC. It is read from the wall clock at the start and at each midnight, and between them followed by the
 * steady clock: a wall clock that is set an hour back or forward neither ends a day nor begins it again.
 */
export class UtcDay {
  private day: string;
  /** Time of the steady clock. */
  private endsAt: number;

  constructor(private readonly clocks: Clocks = realClocks) {
    const now = clocks.wall();
    this.day = nameOf(now);
    this.endsAt = clocks.steady() + dayMs - (now % dayMs);
  }

  /** `2026-01-31` */
  get name(): string {
    this.follow();
    return this.day;
  }

  /** Milliseconds until midnight. */
  get remainingMs(): number {
    this.follow();
    return this.endsAt - this.clocks.steady();
  }

  private follow(): void {
    const steady = this.clocks.steady();
    if (steady < this.endsAt) return;
    const wall = this.clocks.wall();
    // A wall clock that lags must not give the day that is over again.
    const present = Math.max(wall, Date.parse(this.day) + dayMs);
    this.day = nameOf(present);
    this.endsAt = steady + dayMs - (present % dayMs);
  }
}

const nameOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
