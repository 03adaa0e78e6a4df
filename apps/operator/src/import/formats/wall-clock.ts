/** The clocks of a time zone, which show another time than UTC. */
export class WallClock {
  readonly #format: Intl.DateTimeFormat;

  /** @throws RangeError for a zone that does not exist */
  constructor(timezone: string) {
    const twoDigits = '2-digit' as const;
    this.#format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone: timezone, calendar: 'iso8601', hourCycle: 'h23', era: 'short', year: 'numeric' },
      ...{ month: twoDigits, day: twoDigits, hour: twoDigits, minute: twoDigits, second: twoDigits },
    });
  }

  /**
   * The time at which these clocks show `ms`, in milliseconds since 1970 as if it were UTC. An hour that they show twice
   * is the first one; one that they skip is counted on.
   */
  toUtc(ms: number): number {
    const offsets = [ms - dayMs, ms + dayMs].map((time) => this.#offsetAt(time));
    const times = offsets.map((offset) => ms - offset);
    return times.find((time) => time + this.#offsetAt(time) === ms) ?? ms - (offsets[0] ?? 0);
  }

  /** Milliseconds by which these clocks are ahead of UTC. */
  #offsetAt(utc: number): number {
    const parts = Object.fromEntries(this.#format.formatToParts(utc).map(({ type, value }) => [type, value]));
    const readPart = (name: string): number => Number(parts[name]);
    const year = parts['era'] === 'BC' ? 1 - readPart('year') : readPart('year');
    const clockTime = new Date(0);
    clockTime.setUTCFullYear(year, readPart('month') - 1, readPart('day'));
    clockTime.setUTCHours(readPart('hour'), readPart('minute'), readPart('second'));
    return clockTime.getTime() - Math.floor(utc / secondMs) * secondMs;
  }
}

const secondMs = 1_000;
const dayMs = 86_400_000;
