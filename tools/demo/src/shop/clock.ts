import { type Random } from '../random.js';

/** Tells when something takes place, milliseconds since 1970. */
export interface Clock {
  /** The next thing of the same visit. */
  tick(): number;
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;

export const liveClock: Clock = { tick: () => Date.now() };

/** A visit somewhere within the last days, more often in the evening, with seconds between its events; never after now. */
export function pastClock(random: Random, now: number, days: number): Clock {
  const evening = (random.next() + random.next()) / 2;
  const midnight = Math.floor((now - random.next() * days * dayMs) / dayMs) * dayMs;
  const begin = midnight + (8 + evening * 16) * hourMs;
  let at = begin > now - hourMs ? begin - dayMs : begin;
  return {
    tick: () => {
      at = Math.min(at + random.whole(2_000, 60_000), now);
      return at;
    },
  };
}
