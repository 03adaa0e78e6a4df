import { type Entry } from './entry.js';
import { type Parts } from './parts.js';
import { restAfter, waitAfter } from './retry-policy.js';

/** Browsers allow six connections to a host, and the page needs some. */
const maxConcurrent = 4;
/** Batches in a row that the service has to take before several are sent at a time. */
const warmUp = 4;

/**
 * The pauses between requests. Requests that run at the same time fail together: only the first failure since the last
 * pause begins a new one. The entry of a request therefore remembers the number of pauses before it.
 */
export class Pace {
  readonly #parts: Pick<Parts, 'clock' | 'random'>;
  /** End of the pause by the monotonic clock. */
  #pausedUntil = 0;
  #pauses = 0;
  /** Batches that the service has taken since the last pause. */
  #delivered = 0;
  /** Pauses in a row after failed tries. */
  #failures = 0;
  /** Pauses in a row after refused credentials. */
  #rests = 0;
  /** True if the length of the pause is our own guess, which a hint can shorten. */
  #isGuess = false;

  constructor(parts: Pick<Parts, 'clock' | 'random'>) {
    this.#parts = parts;
  }

  /** Number of pauses so far. */
  get pauses(): number {
    return this.#pauses;
  }

  /** False if another request has begun a pause since this one began. */
  isCurrent({ pausesBefore }: Entry): boolean {
    return pausesBefore === this.#pauses;
  }

  /** Milliseconds until the pause ends; 0 outside a pause. */
  get wait(): number {
    return Math.max(0, this.#pausedUntil - this.#parts.clock.monotonic());
  }

  /** False during a pause, and while all allowed requests are under way: a single one until `warmUp` is reached. */
  allows(underWay: number): boolean {
    return this.wait === 0 && underWay < (this.#delivered < warmUp ? 1 : maxConcurrent);
  }

  pauseUntil(time: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, time);
  }

  /** Notes that the service has taken a batch. */
  succeed(entry: Entry): void {
    this.#failures = this.#rests = 0;
    if (this.isCurrent(entry)) this.#delivered++;
  }

  /** Pauses after a failed try. Returns the wait of its batch. */
  fail(entry: Entry, retryAfter: number): number {
    const isFirst = this.#begin(entry);
    if (isFirst) this.#failures++;
    const wait = waitAfter(Math.max(this.#failures, entry.batch.tries), retryAfter, this.#parts.random.fraction());
    this.#isGuess = (isFirst || this.#isGuess) && retryAfter === 0;
    // Requests that fail together draw one pause: the longest of several would be too long for most clients.
    if (isFirst || retryAfter > this.wait) this.pauseUntil(this.#parts.clock.monotonic() + wait);
    return wait;
  }

  /** Pauses because the credentials are refused. Returns true for the first time in a row. */
  rest(entry: Entry): boolean {
    if (!this.#begin(entry)) return false;
    this.#isGuess = false;
    this.pauseUntil(this.#parts.clock.monotonic() + restAfter(++this.#rests, this.#parts.random.fraction()));
    return this.#rests === 1;
  }

  /**
   * Shortens a guessed pause to the wait after a first failure. Returns its new end; undefined without such a pause.
   */
  hurry(): number | undefined {
    if (!this.#isGuess || this.wait === 0) return undefined;
    const soon = this.#parts.clock.monotonic() + waitAfter(1, 0, this.#parts.random.fraction());
    return (this.#pausedUntil = Math.min(this.#pausedUntil, soon));
  }

  /** Begins a pause. Returns false if another request has done so since this one began. */
  #begin(entry: Entry): boolean {
    if (!this.isCurrent(entry)) return false;
    this.#pauses++;
    this.#delivered = 0;
    return true;
  }
}
