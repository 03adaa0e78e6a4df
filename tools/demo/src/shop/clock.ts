import { type SeededRandom } from '../random.js';

/** Gives the times of events, in milliseconds since 1970. */
export interface VisitClock {
  /** Time of the next event of the same visit. */
  tick(): number;
  /** Whether the visit is of the past, so that what it changes must say when. */
  readonly isPast: boolean;
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;

export const liveClock: VisitClock = { tick: () => Date.now(), isPast: false };

/** A span of past days that ends now. */
export interface History {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly days: number;
}

/**
 * The clock of a visit at `progress` of the history (0 is the first day, 1 the last). Visits are more frequent in the
 * evening, their events are seconds apart, and none is later than now.
 */
export function pastClock(random: SeededRandom, { now, days }: History, progress: number): VisitClock {
  const evening = (random.next() + random.next()) / 2;
  const midnight = Math.floor((now - (1 - progress) * days * dayMs) / dayMs) * dayMs;
  const begin = midnight + (8 + evening * 16) * hourMs;
  let time = begin > now - hourMs ? begin - dayMs : begin;
  return {
    isPast: true,
    tick: () => {
      time = Math.min(time + random.wholeNumber(2_000, 60_000), now);
      return time;
    },
  };
}
