import { type Random } from '../random.js';

/** Tells when something takes place, milliseconds since 1970. */
export interface Clock {
  /** The next thing of the same visit. */
  tick(): number;
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;

export const liveClock: Clock = { tick: () => Date.now() };

/** The days that end now. */
export interface History {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly days: number;
}

/**
 * A visit so far into the history (0 its first day, 1 its last), more often in the evening, with seconds between its
 * events; never after now.
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
