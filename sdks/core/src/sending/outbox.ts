import { Adoption } from './adoption.js';
import { type Batch, compareByAge } from '../message/batch.js';
import { type Entry } from './entry.js';
import { Pace, type Sooner } from './pace.js';
import { type Parts } from '../client/parts.js';
import { type Pending } from './pending.js';
import { Sending } from './sending.js';

/** Order of due batches. Every fourth try moves a batch back, so that one that always fails blocks no others. */
const byRank = (first: Batch, second: Batch): number =>
  (first.tries >> 2) - (second.tries >> 2) || compareByAge(first, second) || first.kind.localeCompare(second.kind);

/**
 * Sends the pending batches when they are due. Clients (tabs, processes) share one store; one of them is the sender.
 * A batch is given up only when the service refuses it, when it is too old, when the queue is full, or when consent is
 * denied.
 */
export class Outbox {
  readonly pending: Pending;
  readonly #parts: Parts;
  readonly #pace: Pace;
  readonly #sending: Sending;
  readonly #adoption: Adoption;
  /** True when consent is granted and the store has been listed. */
  #isOpen = false;
  /** Number of callers that keep batches here even if another client is the sender. */
  #urgent = 0;
  /** The running drain: see `#drain`. */
  #draining: Promise<void> | undefined;
  /** Makes the running drain look for due batches again. */
  #nudge: (() => void) | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(parts: Parts, pending: Pending) {
    this.#parts = parts;
    const pace = new Pace(parts);
    this.pending = pending;
    this.#pace = pace;
    this.#sending = new Sending(parts, pending, pace);
    this.#adoption = new Adoption(parts, pending, pace);
  }

  /** Messages that the service has confirmed since the client started. */
  get sent(): number {
    return this.#sending.sent;
  }

  /** Adopts the batches in the store, then sends if `isWanted` still returns true. */
  async start(isWanted: () => boolean): Promise<void> {
    await this.#adoption.adoptAll();
    if (!isWanted()) return;
    // Another client was elected: it takes from the store the batches that this client kept until the election.
    if (this.#urgent === 0 && this.#parts.lifecycle.isSender?.() === false) this.pending.forgetStored();
    this.#isOpen = true;
    await this.#drain();
  }

  stop(): void {
    this.#isOpen = false;
    this.#cancelTimer?.();
  }

  /** Accepts a batch that gets no more messages. `stored` is the number of its messages in the store. */
  accept(entry: Entry, stored: number | undefined): void {
    if (!this.pending.entries.has(entry.batch.key)) return;
    entry.isReady = true;
    // Another client is the sender, and takes the batch from the store.
    if (stored && this.#urgent === 0 && this.#parts.lifecycle.isSender?.() === false) this.pending.forget(entry);
    else void this.#sending.pack(entry).then(() => this.#drain());
  }

  /** Runs `work`, which must not reject. Batches that become ready until then stay here, whoever is the sender. */
  async hold(work: () => Promise<void>): Promise<void> {
    this.#urgent++;
    await work();
    this.#urgent--;
  }

  /**
   * Sends what is due and in memory, within the browser's limits, because the page may end. During a pause that is our
   * own guess it sends what was never tried: a request of a page that is left fails for the page, not for the service.
   */
  sendAll(): void {
    if (!this.#isOpen || this.#pace.isPauseRequested) return;
    const isPaused = this.#pace.wait > 0;
    // Nor does the failure of another request take the try of one back that has just begun.
    for (const entry of this.pending.entries.values()) if (entry.isInFlight) entry.isTail = true;
    for (const entry of this.#listDue()) {
      if (!entry.texts || (isPaused && entry.batch.tries > 0) || !this.#sending.canOutlivePage(entry)) continue;
      entry.isTail = true;
      void this.#launch(entry);
    }
  }

  /**
   * Moves the next tries to before `deadline` by the monotonic clock, spread over half of the time that is left, where
   * Retry-After and the backoff allow it. Returns the milliseconds until the first one; undefined if none can begin by
   * then.
   */
  hurryFor(deadline: number): number | undefined {
    if (!this.#isOpen) return undefined;
    const { clock, random } = this.#parts;
    const now = clock.monotonic();
    const share = random.fraction() / 2;
    const sooner: Sooner = (time, notBefore) => {
      const earliest = Math.max(now, notBefore);
      return earliest < deadline ? Math.min(time, earliest + share * (deadline - earliest)) : time;
    };
    this.#pace.shorten(sooner);
    const entries = this.#listSendable();
    for (const entry of entries) entry.due = sooner(entry.due, entry.notBefore ?? entry.due);
    const next = Math.max(now + this.#pace.wait, this.#earliestTry(entries));
    return next < deadline ? next - now : undefined;
  }

  /** Shortens waits, because the network may be back. */
  hurry(): void {
    const end = this.#pace.hurry();
    if (end !== undefined) {
      for (const entry of this.pending.entries.values()) {
        // A batch that was too large keeps its own wait.
        if (!entry.batch.tooLarge) entry.due = Math.min(entry.due, end);
      }
    }
    void this.#drain();
  }

  /** Sends the due batches. Resolves when no request is under way and none can begin now, or after `stop`. */
  #drain(): Promise<void> {
    this.#nudge?.();
    return (this.#draining ??= this.#sendDue());
  }

  async #sendDue(): Promise<void> {
    // Let the caller finish its synchronous work first.
    await Promise.resolve();
    for (;;) {
      this.#cancelTimer?.();
      if (!this.#isOpen) break;
      const due = this.#listDue();
      const entry = due.find((candidate) => !candidate.isPacking && this.#sending.canSend(candidate));
      // `send` marks the entry as in flight before it first awaits, so the next look finds another one.
      if (entry) void this.#launch(entry);
      else if (this.#sending.isIdle && !due.some(({ isPacking }) => isPacking)) break;
      else await this.#awaitNudge();
    }
    this.#draining = undefined;
    this.#schedule();
  }

  #awaitNudge(): Promise<void> {
    return new Promise((resolve) => {
      this.#nudge = resolve;
    });
  }

  async #launch(entry: Entry): Promise<void> {
    await this.#sending.send(entry);
    void this.#drain();
  }

  /** Drains again when the next batch is due. */
  #schedule(): void {
    if (!this.#isOpen) return;
    // A batch in flight triggers the next drain itself.
    const due = this.#earliestTry(this.#listSendable());
    if (due === Infinity) return;
    const { clock } = this.#parts;
    const wait = Math.max(this.#pace.wait, due - clock.monotonic());
    this.#cancelTimer = clock.later(Math.ceil(wait), () => void this.#drain());
  }

  /** Earliest time of a try with one of them, by the monotonic clock. */
  #earliestTry(entries: readonly Entry[]): number {
    return Math.min(...entries.map((entry) => this.#pace.dueTime(entry)));
  }

  #listDue(): Entry[] {
    const now = this.#parts.clock.monotonic();
    // Entries are almost in order, so that sorting hardly costs more than looking through them.
    return this.#listSendable()
      .filter((entry) => this.#pace.dueTime(entry) <= now)
      .sort((first, second) => byRank(first.batch, second.batch));
  }

  /** Idle batches that this client sends: no other client sees a batch that is only in memory. */
  #listSendable(): Entry[] {
    const isSender = this.#isSender();
    return this.pending.idle().filter(({ isStored }) => isSender || !isStored);
  }

  #isSender(): boolean {
    const { lifecycle } = this.#parts;
    return this.#urgent > 0 || !lifecycle.isSender || lifecycle.isSender() === true;
  }
}
