import { type Random } from '../random.js';

/** Gives the times of events, in milliseconds since 1970. */
export interface Clock {
  /** Time of the next event of the same visit. */
  tick(): number;
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;

export const liveClock: Clock = { tick: () => Date.now() };

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
export function pastClock(random: Random, { now, days }: History, progress: number): Clock {
  const evening = (random.next() + random.next()) / 2;
  const midnight = Math.floor((now - (1 - progress) * days * dayMs) / dayMs) * dayMs;
  const begin = midnight + (8 + evening * 16) * hourMs;
  let at = begin > now - hourMs ? begin - dayMs : begin;
  return {
    tick: () => {
      at = Math.min(at + random.whole(2_000, 60_000), now);
      return at;
    },
  };
}
