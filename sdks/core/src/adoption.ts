import { type Batch, byAge } from './batch.js';
import { type Entry, newEntry } from './entry.js';
import { type Pace } from './pace.js';
import { type Parts } from './parts.js';
import { type Pending } from './pending.js';
import { type QueueStore } from './ports.js';

/** Adopts the batches that earlier owners left in the store. */
export class Adoption {
  readonly #parts: Parts;
  readonly #pending: Pending;
  readonly #pace: Pace;
  #listing: Promise<void> | undefined;
  /** True if the store may have changed since its list was asked for. */
  #isStale = false;

  constructor(parts: Parts, pending: Pending, pace: Pace) {
    this.#parts = parts;
    this.#pending = pending;
    this.#pace = pace;
  }

  /** Lists the store and adopts new batches. Calls during a listing share one more: each listing delays writes. */
  adoptAll(): Promise<void> {
    this.#isStale = true;
    return (this.#listing ??= this.#listWhileStale());
  }

  async #listWhileStale(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      await this.#parts.reporter.storing(() => this.#list());
    }
    this.#listing = undefined;
  }

  async #list(): Promise<void> {
    const { queue } = this.#parts;
    if (!queue) return;
    const killed = (await this.#parts.lostBefore?.()) ?? 0;
    if (killed > 0) {
      this.#parts.reporter.report('storage', 'an earlier page or process did not store them', { count: killed });
    }
    const { entries, removed } = this.#pending;
    removed.clear();
    const batches = await queue.list();
    const listed = new Set(batches.map(({ key }) => key));
    for (const entry of entries.values()) {
      if (!entry.texts && !entry.isInFlight && !listed.has(entry.batch.key)) this.#pending.forget(entry);
    }
    for (const batch of batches.sort(byAge)) if (!entries.has(batch.key)) await this.#take(batch, queue);
  }

  /** Takes over a batch, which gets no more messages. */
  async #take(batch: Batch, queue: QueueStore): Promise<void> {
    const { entries, removed } = this.#pending;
    if (!batch.sealed) batch.count = (await queue.seal(batch)) ?? 0;
    const entry = newEntry({ ...batch, sealed: true });
    if (batch.count === 0) await this.#pending.remove(entry);
    // The batch may have been entered, or entered and removed, during the awaits above.
    else if (!entries.has(batch.key) && !removed.has(batch.key)) this.#enter(entry);
  }

  #enter(entry: Entry): void {
    const { clock } = this.#parts;
    const { nextTry, lastTry, tooLarge } = entry.batch;
    // Limit the wait to its original length in case the clock was set back.
    const wait = nextTry - Math.max(clock.now(), lastTry);
    entry.due = clock.monotonic() + Math.max(0, wait);
    entry.isReady = true;
    this.#pending.enter(entry);
    if (this.#pending.isOurs(entry) && !tooLarge) this.#pace.pauseUntil(entry.due);
  }
}
