import { tooMany } from '../http/console-error.js';

/** Failures that cost nothing: people mistype. */
const freeFailures = 4;
const firstWaitMs = 1_000;
const maxWaitMs = 60_000;
/** Time without a failure after which all are forgotten. */
const memoryMs = 900_000;
const maxPairs = 10_000;

interface Failures {
  count: number;
  /** Time before which no other try is checked. */
  waitUntil: number;
  at: number;
}

/**
 * Slows guesses down: after four failures of an address with a user, each further one doubles the time before its next
 * try, up to a minute. A failure never counts for other users or other addresses, so nobody can lock someone else out.
 */
export class Tries {
  private readonly pairs = new Map<string, Failures>();

  /** Reserves a try, before anything is awaited: tries at the same time count too. @throws ConsoleError 429 */
  begin(address: string, user: string, now = Date.now()): void {
    const key = `${address}\n${user}`;
    const pair = this.pairs.get(key);
    const before = pair && now - pair.at < memoryMs ? pair : { count: 0, waitUntil: 0, at: now };
    if (before.waitUntil > now) {
      const seconds = Math.ceil((before.waitUntil - now) / 1_000);
      throw tooMany(`Too many failed attempts; wait ${seconds} s and try again.`, seconds);
    }
    const count = before.count + 1;
    this.pairs.set(key, { count, waitUntil: now + waitAfter(count), at: now });
    if (this.pairs.size > maxPairs) this.forgetHalf();
  }

  /** Forgets pairs with few failures first: tries for thousands of invented users must not free a pair that waits. */
  private forgetHalf(): void {
    const byCount = [...this.pairs].sort(([, a], [, b]) => b.count - a.count || b.at - a.at);
    for (const [key] of byCount.slice(maxPairs / 2)) this.pairs.delete(key);
  }

  /** The next try waits from now on, however long this one took. */
  failed(address: string, user: string, now = Date.now()): void {
    const pair = this.pairs.get(`${address}\n${user}`);
    if (pair) pair.waitUntil = Math.max(pair.waitUntil, now + waitAfter(pair.count));
  }

  /** Forgets the failures of the pair after a success. */
  succeeded(address: string, user: string): void {
    this.pairs.delete(`${address}\n${user}`);
  }
}

function waitAfter(failures: number): number {
  const excess = failures - freeFailures;
  return excess <= 0 ? 0 : Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(excess - 1, 20));
}
