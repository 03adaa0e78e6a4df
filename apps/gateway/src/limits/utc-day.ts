const dayMs = 24 * 60 * 60 * 1_000;

/** The clocks of a process; a test replaces them. */
export interface Clocks {
  /** Milliseconds since 1970; may jump. */
  wall: () => number;
  /** Milliseconds since an arbitrary time; never jumps. */
  steady: () => number;
}
export const realClocks: Clocks = { wall: () => Date.now(), steady: () => performance.now() };

/**
 * The present day in UTC. It is read from the wall clock at the start and at each midnight; in between, only the steady
 * clock counts. Setting the wall clock an hour back or forward neither ends a day nor starts it again.
 */
export class UtcDay {
  private day: string;
  /** Time of the steady clock at the next midnight. */
  private endsAt: number;

  constructor(private readonly clocks: Clocks = realClocks) {
    const now = clocks.wall();
    this.day = dayName(now);
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
    // A wall clock that is behind must not repeat the day that is over.
    const present = Math.max(wall, Date.parse(this.day) + dayMs);
    this.day = dayName(present);
    this.endsAt = steady + dayMs - (present % dayMs);
  }
}

const dayName = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
