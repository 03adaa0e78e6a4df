import { Adoption } from './adoption.js';
import { type Batch, byAge } from './batch.js';
import { type Entry } from './entry.js';
import { Pace } from './pace.js';
import { type Parts } from './parts.js';
import { type Pending } from './pending.js';
import { Sending } from './sending.js';

/** Order of due batches. Every fourth try moves a batch back, so that one that always fails blocks no others. */
const byRank = (one: Batch, other: Batch): number =>
  (one.tries >> 2) - (other.tries >> 2) || byAge(one, other) || one.kind.localeCompare(other.kind);

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
    if (stored && !this.#isSender()) this.pending.forget(entry);
    else void this.#drain();
  }

  /** Runs `work`, which must not reject. Batches that become ready until then stay here, whoever is the sender. */
  async hold(work: () => Promise<void>): Promise<void> {
    this.#urgent++;
    await work();
    this.#urgent--;
  }

  /** Sends what is due and in memory, within the browser's limits, because the page may end. */
  sendAll(): void {
    if (!this.#isOpen || this.#pace.wait > 0) return;
    for (const entry of this.#due()) if (entry.texts && this.#sending.fits(entry.batch)) void this.#launch(entry);
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
      const entry = this.#sending.canSend && this.#due()[0];
      // `send` marks the entry as in flight before it first awaits, so the next look finds another one.
      if (entry) void this.#launch(entry);
      else if (this.#sending.isIdle) break;
      else await this.#untilNudged();
    }
    this.#draining = undefined;
    this.#schedule();
  }

  #untilNudged(): Promise<void> {
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
    const due = Math.min(...this.#mine().map((entry) => entry.due));
    if (due === Infinity) return;
    const { clock } = this.#parts;
    const wait = Math.max(this.#pace.wait, due - clock.monotonic());
    this.#cancelTimer = clock.later(Math.ceil(wait), () => void this.#drain());
  }

  #due(): Entry[] {
    const now = this.#parts.clock.monotonic();
    // Entries are almost in order, so that sorting hardly costs more than looking through them.
    return this.#mine()
      .filter(({ due }) => due <= now)
      .sort((one, other) => byRank(one.batch, other.batch));
  }

  /** Idle batches that this client sends: no other client sees a batch that is only in memory. */
  #mine(): Entry[] {
    const isSender = this.#isSender();
    return this.pending.idle().filter(({ isStored }) => isSender || !isStored);
  }

  #isSender(): boolean {
    return this.#urgent > 0 || this.#parts.lifecycle.isSender?.() !== false;
  }
}
