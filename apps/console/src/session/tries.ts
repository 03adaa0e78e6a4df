import { tooMany } from '../http/console-error.js';

const minuteMs = 60_000;
const mostTries = 5;
const mostKeys = 10_000;

/** Bounds tries to sign in: five a minute for each address, and for each user. */
export class Tries {
  private tries = new Map<string, { count: number; until: number }>();

  /** Counts a try. @throws ConsoleError 429 when there were too many. */
  add(...keys: readonly string[]): void {
    const now = Date.now();
    if (this.tries.size > mostKeys) this.tries = new Map([...this.tries].filter(([, { until }]) => until > now));
    for (const key of keys) {
      const known = this.tries.get(key);
      const entry = known && known.until > now ? known : { count: 0, until: now + minuteMs };
      entry.count += 1;
      this.tries.set(key, entry);
      if (entry.count > mostTries) throw tooMany('Too many tries; wait a minute.');
    }
  }

  forget(...keys: readonly string[]): void {
    for (const key of keys) this.tries.delete(key);
  }
}
