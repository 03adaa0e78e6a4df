import { type Batch } from '../message/batch.js';
import { type Entry } from './entry.js';
import { type Parts } from '../client/parts.js';
import { restAfter, waitAfter } from './retry-policy.js';

/** Browsers allow six connections to a host, and the page needs some. */
const maxConcurrent = 4;
/** Batches in a row that the service has to take before several are sent at a time. */
const warmUp = 4;

/** The daily quota of a source that counts the messages of a batch (decision 96). */
const quotaName = ({ kind }: Batch): 'events' | 'people' => (kind === 'track' ? 'events' : 'people');

/** An earlier time for something that is planned for `time`, or `time`. It cannot be moved to before `notBefore`. */
export type Sooner = (time: number, notBefore: number) => number;

/**
 * The pauses between requests. Requests that run at the same time fail together: only the first failure since the last
 * pause begins a new one. The entry of a request therefore remembers the number of pauses before it.
 */
export class Pace {
  readonly #parts: Pick<Parts, 'clock' | 'random'>;
  /** End of the pause by the monotonic clock. */
  #pausedUntil = 0;
  /** Earliest time to which that end can be moved: Retry-After or the backoff, without jitter. */
  #notBefore = 0;
  #pauses = 0;
  /** Batches that the service has taken since the last pause. */
  #delivered = 0;
  /** Pauses in a row after failed tries. */
  #failures = 0;
  /** Pauses in a row after refused credentials. */
  #rests = 0;
  /** True if the length of the pause is our own guess, which a hint can shorten. */
  #isGuess = false;
  /** Ends of the waits for the daily quotas of the source, by the monotonic clock. */
  readonly #quotas = { events: 0, people: 0 };

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
  allows(requestCount: number): boolean {
    return this.wait === 0 && requestCount < (this.#delivered < warmUp ? 1 : maxConcurrent);
  }

  /** True during a pause that is not only our own guess: the service has asked for it, or a stored try does. */
  get isPauseRequested(): boolean {
    return this.wait > 0 && !this.#isGuess;
  }

  pauseUntil(time: number, notBefore = time): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, time);
    this.#notBefore = Math.max(this.#notBefore, notBefore);
  }

  /** Earliest time of the next try with a batch, by the monotonic clock. */
  dueTime({ batch, due }: Entry): number {
    return Math.max(due, this.#quotas[quotaName(batch)]);
  }

  /** Pauses for the rest of a stored wait, which may be that of a Retry-After. A wait without a try is that of a quota. */
  adopt(entry: Entry): void {
    const { batch, due } = entry;
    if (batch.tries === 0) this.#quotas[quotaName(batch)] = this.dueTime(entry);
    else {
      if (due > this.#parts.clock.monotonic() + this.wait) this.#isGuess = false;
      this.pauseUntil(due);
    }
  }

  /** Ends the pause earlier if `sooner` gives an earlier time for its end. */
  shorten(sooner: Sooner): void {
    this.#pausedUntil = sooner(this.#pausedUntil, this.#notBefore);
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
    const { clock, random } = this.#parts;
    const now = clock.monotonic();
    const failures = Math.max(this.#failures, entry.batch.tries);
    const wait = waitAfter(failures, retryAfter, random.fraction());
    entry.notBefore = now + waitAfter(failures, retryAfter, 0);
    this.#isGuess = (isFirst || this.#isGuess) && retryAfter === 0;
    // Requests that fail together draw one pause: the longest of several would be too long for most clients.
    if (isFirst || retryAfter > this.wait) this.pauseUntil(now + wait, entry.notBefore);
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
